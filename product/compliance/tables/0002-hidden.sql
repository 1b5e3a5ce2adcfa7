-- Performers who hid themselves from everybody, until they show themselves again.
create table compliance.hidden (
  operator_id bigint not null,
  performer_id bigint not null,
  since timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('compliance.hidden');
