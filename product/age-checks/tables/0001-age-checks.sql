-- Age checks: how visitors prove their age, by which provider, and what is stored of it.
create schema age_checks;

create table age_checks.entries (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  text text not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index entries_of_person on age_checks.entries (operator_id, person_id, id desc);
select platform.own_table('age_checks.entries');
