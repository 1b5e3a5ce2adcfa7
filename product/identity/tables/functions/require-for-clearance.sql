-- A clearance refers to nothing that is made before it, so its evidence is checked when the unit of work
-- ends. Performers have an application from their first day; viewers who are cleared to buy have none.
create or replace function identity.require_for_clearance() returns trigger language plpgsql as $$
begin
  if new.state = 'valid' and identity.lacks_evidence(new.operator_id, new.performer_id, new.id)
    and exists (
      select from identity.applications a
      where a.operator_id = new.operator_id and a.performer_id = new.performer_id)
  then
    raise exception 'clearance % of performer % has no evidence', new.id, new.performer_id
      using errcode = 'check_violation';
  end if;
  return null;
end $$;

drop trigger if exists has_evidence on compliance.clearances;
create constraint trigger has_evidence after insert on compliance.clearances
  deferrable initially deferred
  for each row execute function identity.require_for_clearance();
