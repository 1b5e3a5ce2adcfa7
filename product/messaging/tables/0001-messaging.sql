create schema messaging;

-- Whom a viewer follows. Following and hiding the same performer exclude each other.
create table messaging.follows (
  operator_id bigint not null,
  -- Grows: the newest is the largest.
  id bigint generated always as identity,
  viewer_id bigint not null,
  performer_id bigint not null,
  created_at timestamptz not null,
  primary key (operator_id, viewer_id, performer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index follows_newest on messaging.follows (operator_id, viewer_id, id desc);
create index follows_recent on messaging.follows (operator_id, performer_id, created_at);

-- How many follow each performer: every page of a room shows it.
create table messaging.follower_counts (
  operator_id bigint not null,
  performer_id bigint not null,
  followers int not null check (followers >= 0),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- Whom a viewer never wants to see in any list.
create table messaging.hides (
  operator_id bigint not null,
  id bigint generated always as identity,
  viewer_id bigint not null,
  performer_id bigint not null,
  created_at timestamptz not null,
  primary key (operator_id, viewer_id, performer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index hides_newest on messaging.hides (operator_id, viewer_id, id desc);

select platform.own_table('messaging.follows', 'select', 'insert', 'delete');
select platform.own_table('messaging.follower_counts', 'select', 'insert', 'update');
select platform.own_table('messaging.hides', 'select', 'insert', 'delete');
