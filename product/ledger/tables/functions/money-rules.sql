-- The payout of a token, the cap of marketing and what is booked of it, and what one person may earn of
-- promotional tokens in a day, in US cents.
create or replace function ledger.money_rules() returns table (
  payout_cents bigint, marketing_cap_cents bigint, marketing_booked_cents bigint, performer_cap_cents bigint
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.payout_cents, s.marketing_cap_cents, coalesce((
      select m.booked_cents from ledger.marketing m where m.operator_id = platform.operator_id()), 0),
    s.performer_cap_cents
  from ledger.settings_of(platform.operator_id()) s
$$;

grant execute on function ledger.money_rules to candela_app;
