-- The payout of a token, the cap of marketing and that of promotional earnings a day, in US cents.
create or replace function ledger.settings_of(me bigint)
returns table (payout_cents bigint, marketing_cap_cents bigint, performer_cap_cents bigint)
language sql stable as $$
  select coalesce(max(s.payout_cents), 5), coalesce(max(s.marketing_cap_cents), 10000000),
    coalesce(max(s.performer_cap_cents), 5000)
  from ledger.settings s where s.operator_id = me
$$;
