create schema messaging;

-- Who follows whom. Nobody can follow and hide the same performer.
create table messaging.follows (
  operator_id bigint not null,
  -- Grows, so that the latest has the largest.
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
-- Lists a performer's followers in batches.
create index follows_of_performer on messaging.follows (operator_id, performer_id, id);
select platform.own_table('messaging.follows', 'select', 'insert', 'delete');

-- Number of followers of each performer, shown on every page of a room.
create table messaging.follower_counts (
  operator_id bigint not null,
  performer_id bigint not null,
  followers int not null check (followers >= 0),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('messaging.follower_counts');

-- Performers whom a viewer wants in no list.
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
select platform.own_table('messaging.hides', 'select', 'insert', 'delete');

-- When a performer's followers were last notified that the performer is live.
create table messaging.alerts (
  operator_id bigint not null,
  performer_id bigint not null,
  alerted_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('messaging.alerts');

-- Private notes of one person about another, visible to the author alone.
create table messaging.notes (
  operator_id bigint not null,
  author_id bigint not null,
  subject_id bigint not null,
  note text not null,
  updated_at timestamptz not null,
  primary key (operator_id, author_id, subject_id),
  foreign key (operator_id, author_id) references accounts.people (operator_id, id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id),
  check (author_id <> subject_id)
);
select platform.own_table('messaging.notes');

-- People whose chat messages a person does not want to read. The ignored person does not learn of it.
create table messaging.ignores (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  ignored_id bigint not null,
  created_at timestamptz not null,
  primary key (operator_id, person_id, ignored_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, ignored_id) references accounts.people (operator_id, id),
  check (person_id <> ignored_id)
);
create index ignores_newest on messaging.ignores (operator_id, person_id, id desc);
create index ignores_of on messaging.ignores (operator_id, ignored_id);
select platform.own_table('messaging.ignores', 'select', 'insert', 'delete');
