-- Requests to support, until they are answered and for a while after.
create schema support;

create table support.requests (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint,
  topic text not null,
  message text not null,
  email text,
  at timestamptz not null,
  closed_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  check (person_id is not null or email is not null)
);
create index open_requests on support.requests (operator_id, id desc) where closed_at is null;
create index requests_of_person on support.requests (operator_id, person_id) where closed_at is null;
select platform.own_table('support.requests');
