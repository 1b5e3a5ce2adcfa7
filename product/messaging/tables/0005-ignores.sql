-- Whose lines in chats a person does not want to read. Who is ignored learns nothing of it.
create table messaging.ignores (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  ignored_id bigint not null,
  created_at timestamptz not null,
  primary key (operator_id, person_id, ignored_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, ignored_id) references accounts.people (operator_id, id),
  check (person_id <> ignored_id)
);
create index ignores_newest on messaging.ignores (operator_id, person_id, id desc);
create index ignores_of on messaging.ignores (operator_id, ignored_id);
select platform.own_table('messaging.ignores', 'select', 'insert', 'delete');
