-- When the followers of a performer were last notified that the performer is live.
create table messaging.alerts (
  operator_id bigint not null,
  performer_id bigint not null,
  alerted_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
-- Followers of a performer in batches.
create index follows_of_performer on messaging.follows (operator_id, performer_id, id);

select platform.own_table('messaging.alerts', 'select', 'insert', 'update');
