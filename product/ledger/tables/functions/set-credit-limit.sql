-- Sets how many tokens a person may owe.
create or replace function ledger.set_credit_limit(person bigint, tokens bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, credit_tokens)
  values (platform.operator_id(), person, tokens)
  on conflict (operator_id, person_id) do update set credit_tokens = excluded.credit_tokens
$$;

grant execute on function ledger.set_credit_limit to candela_app;
