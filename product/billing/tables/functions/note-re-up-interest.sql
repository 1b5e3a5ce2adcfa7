-- The consumer `billing.reUp` gets balance changes only of people who have auto re-up on.
create or replace function billing.note_re_up_interest() returns trigger language plpgsql as $$
begin
  if new.enabled then
    insert into platform.interests (operator_id, consumer, key)
    values (new.operator_id, 'billing.reUp', 'person:' || new.person_id)
    on conflict do nothing;
  else
    delete from platform.interests i
    where i.operator_id = new.operator_id and i.consumer = 'billing.reUp'
      and i.key = 'person:' || new.person_id;
  end if;
  return null;
end $$;

create or replace trigger interest after insert or update of enabled on billing.re_ups
  for each row execute function billing.note_re_up_interest();
