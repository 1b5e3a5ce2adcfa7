-- Whether an operator asks for evidence that this clearance of a performer does not have.
create or replace function identity.lacks_evidence(operator bigint, performer bigint, clearance bigint)
returns boolean language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
      select from identity.rules r where r.operator_id = operator and r.requires_evidence)
    and not exists (
      select from identity.evidence e
      where e.operator_id = operator and e.performer_id = performer and e.clearance_id = clearance)
$$;

grant execute on function identity.lacks_evidence to candela_app;
