-- Blocks spending for a reason; null unblocks it, whatever the cause was.
create or replace function ledger.set_block(person bigint, reason text, now timestamptz) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, blocked_cause, blocked_reason, blocked_at)
  values (platform.operator_id(), person, case when reason is not null then 'staff' end, reason,
    case when reason is not null then now end)
  on conflict (operator_id, person_id) do update set blocked_cause = excluded.blocked_cause,
    blocked_reason = excluded.blocked_reason, blocked_at = excluded.blocked_at
$$;

grant execute on function ledger.set_block to candela_app;
