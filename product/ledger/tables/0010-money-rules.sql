-- What a token pays out and how much marketing is booked at most, in an operator's hands.

-- The rules as they hold, and what is booked of the marketing, in US cents.
create function ledger.money_rules()
returns table (payout_cents bigint, marketing_cap_cents bigint, marketing_booked_cents bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.payout_cents, s.marketing_cap_cents, coalesce((
    select m.booked_cents from ledger.marketing m where m.operator_id = platform.operator_id()), 0)
  from ledger.settings_of(platform.operator_id()) s
$$;

-- Sets them; false, and nothing, when tokens that are out would pay out more than what covers them.
create function ledger.set_money_rules(payout bigint, cap bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  was record;
begin
  -- Two changes at once come one after the other, and what needs marketing waits for them.
  insert into ledger.marketing (operator_id, booked_cents) values (me, 0) on conflict do nothing;
  perform from ledger.marketing m where m.operator_id = me for update;
  select s.payout_cents, s.marketing_cap_cents into was from ledger.settings_of(me) s;
  insert into ledger.settings (operator_id, payout_cents, marketing_cap_cents) values (me, payout, cap)
    on conflict (operator_id) do update set payout_cents = payout, marketing_cap_cents = cap;
  if payout > was.payout_cents and exists (
    select from ledger.cover() c
    where c.outstanding_cents > c.cash_cents + c.marketing_cents + c.receivable_cents + c.loss_cents)
  then
    update ledger.settings s
    set payout_cents = was.payout_cents, marketing_cap_cents = was.marketing_cap_cents
    where s.operator_id = me;
    return false;
  end if;
  return true;
end $$;

revoke execute on all functions in schema ledger from public;
grant execute on function ledger.money_rules() to candela_app;
grant execute on function ledger.set_money_rules(bigint, bigint) to candela_app;
