-- The operator of the running unit of work. Raises when there is none, so that nothing is visible by mistake.
create or replace function platform.operator_id() returns bigint language sql stable
  return current_setting('app.operator')::bigint;

grant execute on function platform.operator_id to candela_app;
