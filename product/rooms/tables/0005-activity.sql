-- What keeps a performer to one thing at a time: a show or a game that others cannot run beside.
alter table rooms.rooms add column activity text;
alter table rooms.rooms add constraint rooms_activity_check
  check (activity in ('private', 'ticket', 'versus', 'app'));
