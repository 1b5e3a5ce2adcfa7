-- Why a person may not spend an amount, whatever their balance; null when nothing restricts it.
create or replace function ledger.restriction_refusal(
  me bigint, person bigint, amount bigint, now timestamptz
) returns jsonb language plpgsql as $$
declare
  standing ledger.standings;
  budget record;
begin
  select * into standing from ledger.standings s where s.operator_id = me and s.person_id = person;
  if standing.blocked_cause is not null then
    return jsonb_build_object('status', 'blocked');
  elsif standing.self_excluded_until > now then
    return jsonb_build_object('status', 'self_excluded', 'until', standing.self_excluded_until);
  elsif standing.cooling_off_until > now then
    return jsonb_build_object('status', 'cooling_off', 'until', standing.cooling_off_until);
  end if;
  -- Of several budgets that are used up, the one that lasts longest is named.
  select b.period, ledger.period_end(b.period, now) as until into budget from ledger.budgets b
  where b.operator_id = me and b.person_id = person
    and case when b.next_at <= now then b.next_tokens else b.tokens end
      < amount + case when b.starts = ledger.period_start(b.period, now) then b.spent else 0 end
  order by 2 desc limit 1;
  if budget.period is null then
    return null;
  end if;
  return jsonb_build_object('status', 'over_budget', 'period', budget.period, 'until', budget.until);
end $$;
