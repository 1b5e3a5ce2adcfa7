-- Counts what was spent, or given back, in the budgets of people who have one.
create or replace function ledger.count_spending(me bigint, op jsonb, now timestamptz) returns void
language plpgsql as $$
begin
  if (op ->> 'spending')::int = 1 then
    update ledger.budgets b set starts = ledger.period_start(b.period, now),
      spent = case when b.starts = ledger.period_start(b.period, now) then b.spent else 0 end - leg.tokens
    from ledger.legs_of(op) leg
    where b.operator_id = me and b.person_id = leg.person_id and leg.account = 'tokens' and leg.tokens < 0;
  elsif (op ->> 'spending')::int = -1 then
    update ledger.budgets b set spent = greatest(0, b.spent - leg.tokens)
    from ledger.legs_of(op) leg
    where b.operator_id = me and b.person_id = leg.person_id and leg.account = 'tokens' and leg.tokens > 0
      and b.starts <= (op ->> 'countedAt')::timestamptz;
  end if;
end $$;
