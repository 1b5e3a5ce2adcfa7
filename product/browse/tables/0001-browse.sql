create schema browse;

-- Read model of the live directory: who is on now. Fed by the facts of `broadcast` and `compliance`: each has
-- the row made anew from the broadcast itself, so that a fact heard twice or late changes nothing.
create table browse.live (
  operator_id bigint not null,
  performer_id bigint not null,
  state text not null check (state in ('online', 'reconnecting')),
  title text not null,
  tags text[] not null,
  started_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

select platform.own_table('browse.live');
