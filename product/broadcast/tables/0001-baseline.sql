create schema broadcast;

-- One row per broadcast, from the answer to its publisher to its end. It needs a clearance of the same
-- performer: no clearance, no row, and no row, no stream.
create table broadcast.broadcasts (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  clearance_id bigint not null,
  -- Name of the stream in the media engine: random, and new for every broadcast.
  stream text not null,
  phase text not null check (phase in ('ready', 'online', 'reconnecting', 'ended')),
  publish_session text not null,
  -- Kind of key that the present publisher used, and for browser keys the digest of its log-in session.
  published_with text not null check (published_with in ('stream_key', 'browser_key')),
  login_session text,
  made_at timestamptz not null,
  started_at timestamptz,
  deadline_at timestamptz,
  ended_at timestamptz,
  end_reason text,
  peak_viewers int not null default 0 check (peak_viewers >= 0),
  -- Audience of the broadcast, and the protocol of its publisher. `limited` is for holders of tickets.
  mode text not null default 'public'
    check (mode in ('public', 'private', 'limited')),
  protocol text not null check (protocol in ('whip', 'rtmp')),
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
select platform.own_table('broadcast.broadcasts');

create table broadcast.details (
  operator_id bigint not null,
  performer_id bigint not null,
  title text not null,
  tags text[] not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.details');

-- The one stream key of a performer. Only its SHA-256 is stored; the key is shown once.
create table broadcast.stream_keys (
  operator_id bigint not null,
  performer_id bigint not null,
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  made_at timestamptz not null,
  primary key (operator_id, performer_id),
  unique (operator_id, key_hash),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.stream_keys');
-- RTMP sends no host name: the key alone identifies the operator, so it is unique across operators.
create unique index stream_keys_hash on broadcast.stream_keys (key_hash);
-- Whoever knows a key may read whose it is, in a unit of work that names the key.
create policy by_key on broadcast.stream_keys for select
  using (key_hash = current_setting('app.stream_key', true));

-- Keys of the go-live page: valid until `expires_at` if unused, then for one log-in session and one
-- broadcast.
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
select platform.own_table('broadcast.browser_keys');

-- Portrait of a performer, shown in listings and while they are offline. Its bytes are a blob.
create table broadcast.portraits (
  operator_id bigint not null,
  performer_id bigint not null,
  blob_id text not null check (blob_id ~ '^[0-9a-f]{64}$'),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.portraits');

-- Broadcasting settings of performers. Column defaults apply to performers without a row.
create table broadcast.streamer_settings (
  operator_id bigint not null,
  performer_id bigint not null,
  streaming_tech text not null default 'webrtc' check (streaming_tech in ('obs', 'webrtc')),
  standby_enabled boolean not null default false,
  standby_notifications_enabled boolean not null default true,
  -- Devices and bit rate last used on the go-live page, as the browser names them.
  cam jsonb not null default '{}' check (jsonb_typeof(cam) = 'object'),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.streamer_settings');

-- Performers in standby. It ends with the log-in session that started it, whose digest is stored.
create table broadcast.standbys (
  operator_id bigint not null,
  performer_id bigint not null,
  login_session text not null,
  since timestamptz not null,
  ends_at timestamptz not null check (ends_at > since),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index standbys_session on broadcast.standbys (operator_id, login_session);
select platform.own_table('broadcast.standbys');

-- A performer's studio, as named by the operator. Performers without a studio have no row.
create table broadcast.studios (
  operator_id bigint not null,
  performer_id bigint not null,
  studio text not null check (length(studio) between 1 and 80),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('broadcast.studios');
