-- Closes spending until a time: `cooling_off` or `self_excluded`. Never shortens an earlier one.
create or replace function ledger.pause_spending(person bigint, kind text, until timestamptz) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, cooling_off_until, self_excluded_until)
  values (platform.operator_id(), person, case when kind = 'cooling_off' then until end,
    case when kind = 'self_excluded' then until end)
  on conflict (operator_id, person_id) do update set
    cooling_off_until = greatest(standings.cooling_off_until, excluded.cooling_off_until),
    self_excluded_until = greatest(standings.self_excluded_until, excluded.self_excluded_until)
$$;

grant execute on function ledger.pause_spending to candela_app;
