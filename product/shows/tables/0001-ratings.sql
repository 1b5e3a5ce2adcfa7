create schema shows;

-- What viewers said of performers: one vote a UTC day.
create table shows.votes (
  operator_id bigint not null,
  performer_id bigint not null,
  viewer_id bigint not null,
  day date not null,
  is_up boolean not null,
  voted_at timestamptz not null,
  primary key (operator_id, performer_id, viewer_id, day),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index votes_of_viewer on shows.votes (operator_id, viewer_id, day desc, performer_id);
select platform.own_table('shows.votes', 'select', 'insert', 'update', 'delete');
