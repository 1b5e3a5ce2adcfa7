-- What would refuse a spend of a person now, as `post` would: null, or {status, until?, period?}.
create or replace function ledger.spend_refusal(person bigint, amount bigint, now timestamptz) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select ledger.refusal(platform.operator_id(), jsonb_build_object('spending', 1, 'plan', null, 'legs',
    jsonb_build_array(jsonb_build_object('person', person, 'account', 'tokens', 'tokens', -amount))), now)
$$;

grant execute on function ledger.spend_refusal to candela_app;
