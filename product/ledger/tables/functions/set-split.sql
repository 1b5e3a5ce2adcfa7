-- Sets how a performer's earnings are divided from a moment on.
create or replace function ledger.set_split(performer bigint, since timestamptz, parts jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.splits (operator_id, performer_id, starts, shares)
  values (platform.operator_id(), performer, since, parts)
  on conflict (operator_id, performer_id, starts) do update set shares = excluded.shares
$$;

grant execute on function ledger.set_split to candela_app;
