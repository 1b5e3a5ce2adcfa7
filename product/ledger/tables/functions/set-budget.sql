-- Sets the budget of a period; null is none. A lower one applies at once, a higher one from `raises_at`
-- on. Setting the same value again does not restart the wait.
create or replace function ledger.set_budget(
  person bigint, of_period text, limit_tokens bigint, raises_at timestamptz, now timestamptz
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  known ledger.budgets;
  current bigint;
begin
  -- The account is locked as for a spend, so that a spend under way is counted.
  insert into ledger.accounts (operator_id, person_id, account) values (me, person, 'tokens')
  on conflict do nothing;
  perform from ledger.accounts a
  where a.operator_id = me and a.person_id = person and a.account = 'tokens' for update;
  select * into known from ledger.budgets b
  where b.operator_id = me and b.person_id = person and b.period = of_period;
  if known is null then
    insert into ledger.budgets (operator_id, person_id, period, tokens, starts, spent)
    values (me, person, of_period, limit_tokens, ledger.period_start(of_period, now),
      ledger.spent_in_period(me, person, of_period, now));
    return;
  end if;
  current := case when known.next_at <= now then known.next_tokens else known.tokens end;
  if coalesce(limit_tokens <= current, current is null) then
    update ledger.budgets b set tokens = limit_tokens, next_tokens = null, next_at = null
    where b.operator_id = me and b.person_id = person and b.period = of_period;
  elsif known.next_at <= now or known.next_at is null or known.next_tokens is distinct from limit_tokens then
    update ledger.budgets b set tokens = current, next_tokens = limit_tokens, next_at = raises_at
    where b.operator_id = me and b.person_id = person and b.period = of_period;
  end if;
end $$;

grant execute on function ledger.set_budget to candela_app;
