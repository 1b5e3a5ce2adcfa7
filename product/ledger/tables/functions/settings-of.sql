-- The payout of a token and the cap of marketing, in US cents.
create or replace function ledger.settings_of(me bigint)
returns table (payout_cents bigint, marketing_cap_cents bigint) language sql stable as $$
  select coalesce(max(s.payout_cents), 5), coalesce(max(s.marketing_cap_cents), 10000000)
  from ledger.settings s where s.operator_id = me
$$;
