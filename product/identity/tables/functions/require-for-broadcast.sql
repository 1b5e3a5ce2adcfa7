-- Also for clearances from before the operator asked for evidence.
create or replace function identity.require_for_broadcast() returns trigger language plpgsql as $$
begin
  if identity.lacks_evidence(new.operator_id, new.performer_id, new.clearance_id) then
    raise exception 'clearance % of performer % has no evidence', new.clearance_id, new.performer_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create or replace trigger has_evidence before insert on broadcast.broadcasts
  for each row execute function identity.require_for_broadcast();
