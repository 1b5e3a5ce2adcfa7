-- Filters of the advanced search that members saved, by the query of their address.
create table browse.searches (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  name text not null check (length(name) between 1 and 40),
  query text not null check (length(query) <= 600),
  -- Whether a performer who matches and goes live is reported.
  notify boolean not null,
  -- Where it was saved from: performers who block that region are not reported.
  region text not null,
  created_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, person_id, name),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index searches_notify on browse.searches (operator_id, id) where notify;

select platform.own_table('browse.searches');
