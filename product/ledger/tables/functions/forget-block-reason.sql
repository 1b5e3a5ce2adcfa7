-- Takes the words of staff out of a block of theirs, and answers how many there were. The cause and the day
-- stay. A chargeback's reason is the id of its operation.
create or replace function ledger.forget_block_reason(person bigint) returns int
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with forgotten as (
    update ledger.standings s set blocked_reason = null
    where s.operator_id = platform.operator_id() and s.person_id = person
      and s.blocked_cause = 'staff' and s.blocked_reason is not null
    returning 1)
  select count(*)::int from forgotten
$$;

grant execute on function ledger.forget_block_reason to candela_app;
