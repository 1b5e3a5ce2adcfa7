-- Accounts of one person that switch to each other: a row for each direction.
create table accounts.linked (
  operator_id bigint not null,
  person_id bigint not null,
  other_id bigint not null check (other_id <> person_id),
  linked_at timestamptz not null,
  primary key (operator_id, person_id, other_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade,
  foreign key (operator_id, other_id) references accounts.people on delete cascade
);
create index linked_other on accounts.linked (operator_id, other_id);
select platform.own_table('accounts.linked');
