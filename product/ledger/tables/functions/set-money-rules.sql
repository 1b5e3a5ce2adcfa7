-- Sets the payout of a token, the cap of marketing and that of promotional earnings a day. Changes nothing
-- and answers false when outstanding tokens would pay out more than what covers them.
create or replace function ledger.set_money_rules(payout bigint, cap bigint, performer_cap bigint)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  was record;
begin
  -- Locks the row, so that two changes, and operations that book marketing, wait for each other.
  insert into ledger.marketing (operator_id, booked_cents) values (me, 0) on conflict do nothing;
  perform from ledger.marketing m where m.operator_id = me for update;
  select * into was from ledger.settings_of(me) s;
  insert into ledger.settings (operator_id, payout_cents, marketing_cap_cents, performer_cap_cents)
  values (me, payout, cap, performer_cap)
  on conflict (operator_id) do update
    set payout_cents = payout, marketing_cap_cents = cap, performer_cap_cents = performer_cap;
  if payout > was.payout_cents and exists (
    select from ledger.cover() c
    where c.outstanding_cents > c.cash_cents + c.marketing_cents + c.receivable_cents + c.loss_cents)
  then
    update ledger.settings s
    set payout_cents = was.payout_cents, marketing_cap_cents = was.marketing_cap_cents,
      performer_cap_cents = was.performer_cap_cents
    where s.operator_id = me;
    return false;
  end if;
  return true;
end $$;

grant execute on function ledger.set_money_rules to candela_app;
