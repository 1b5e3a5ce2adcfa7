create schema broadcast;

-- One row per broadcast, from the answer to its publisher to its end. It names the clearance it stands on, of
-- the same performer: without one there is no row, and without a row no stream.
create table broadcast.broadcasts (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  clearance_id bigint not null,
  -- Name of the stream in the media engine: random, and new with every broadcast.
  stream text not null,
  phase text not null check (phase in ('ready', 'online', 'reconnecting', 'ended')),
  publish_session text not null,
  -- What kind of key the publisher of now came with, and for browser keys the digest of its log-in session.
  published_with text not null check (published_with in ('stream_key', 'browser_key')),
  login_session text,
  made_at timestamptz not null,
  started_at timestamptz,
  deadline_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  peak_viewers int not null default 0 check (peak_viewers >= 0),
  primary key (operator_id, id),
  unique (operator_id, stream),
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id),
  check ((published_with = 'browser_key') = (login_session is not null)),
  check ((phase in ('ready', 'reconnecting')) = (deadline_at is not null)),
  check ((phase = 'ended') = (ended_at is not null and end_reason is not null)),
  check (phase = 'ended' or (phase = 'ready') = (started_at is null))
);
create unique index broadcasts_open on broadcast.broadcasts (operator_id, performer_id)
  where phase <> 'ended';
create index broadcasts_last on broadcast.broadcasts (operator_id, performer_id, id);

create table broadcast.details (
  operator_id bigint not null,
  performer_id bigint not null,
  title text not null,
  tags text[] not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- The one stream key of a performer: its SHA-256 only, the key is shown once.
create table broadcast.stream_keys (
  operator_id bigint not null,
  performer_id bigint not null,
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  made_at timestamptz not null,
  primary key (operator_id, performer_id),
  unique (operator_id, key_hash),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- Keys of the go-live page: unused until `expires_at`, then good for one log-in session and one broadcast.
create table broadcast.browser_keys (
  operator_id bigint not null,
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  performer_id bigint not null,
  login_session text not null,
  made_at timestamptz not null,
  expires_at timestamptz not null,
  broadcast_id bigint,
  primary key (operator_id, key_hash),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, broadcast_id) references broadcast.broadcasts (operator_id, id)
);
create index browser_keys_performer on broadcast.browser_keys (operator_id, performer_id, made_at);
create index browser_keys_session on broadcast.browser_keys (operator_id, login_session);

select platform.own_table('broadcast.broadcasts');
select platform.own_table('broadcast.details');
select platform.own_table('broadcast.stream_keys');
select platform.own_table('broadcast.browser_keys');
