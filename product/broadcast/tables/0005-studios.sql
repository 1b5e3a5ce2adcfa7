-- Studio of a performer, as the operator names it; performers without one have no row.
create table broadcast.studios (
  operator_id bigint not null,
  performer_id bigint not null,
  studio text not null check (length(studio) between 1 and 80),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.studios');
