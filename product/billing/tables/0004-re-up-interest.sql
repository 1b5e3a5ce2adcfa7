-- Who has re-ups on is heard when their balance falls; nobody else's tip makes a row for it.
create function billing.note_re_up_interest() returns trigger language plpgsql as $$
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
create trigger interest after insert or update of enabled on billing.re_ups
  for each row execute function billing.note_re_up_interest();

alter table billing.re_ups no force row level security;
alter table platform.interests no force row level security;
insert into platform.interests (operator_id, consumer, key)
  select operator_id, 'billing.reUp', 'person:' || person_id from billing.re_ups where enabled;
alter table billing.re_ups force row level security;
alter table platform.interests force row level security;
