create schema recordings;

-- One row per recording. It stands on a consent given for it alone, and only public broadcasts are recorded.
create table recordings.recordings (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- Id of the broadcast it was made of.
  broadcast_id bigint not null,
  mode text not null check (mode = 'public'),
  -- Name of the file: random, so that nothing can be guessed from one about another.
  file text not null,
  title text not null,
  state text not null check (state in ('recording', 'ready', 'interrupted')),
  reason text check (reason in ('stopped', 'source', 'full', 'fault', 'lost')),
  consent_at timestamptz not null,
  consent_version int not null check (consent_version > 0),
  started_at timestamptz not null,
  ended_at timestamptz,
  duration_ms bigint not null default 0 check (duration_ms >= 0),
  bytes bigint not null default 0 check (bytes >= 0),
  width int check (width > 0),
  height int check (height > 0),
  primary key (operator_id, id),
  unique (operator_id, file),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (consent_at <= started_at),
  check ((state = 'recording') = (ended_at is null and reason is null))
);
create index recordings_performer on recordings.recordings (operator_id, performer_id, id);
create unique index recordings_running on recordings.recordings (operator_id, performer_id)
  where state = 'recording';

-- Who is seen in it, each with the clearance that was valid when it began.
create table recordings.recording_people (
  operator_id bigint not null,
  recording_id bigint not null,
  performer_id bigint not null,
  clearance_id bigint not null,
  primary key (operator_id, recording_id, performer_id),
  foreign key (operator_id, recording_id) references recordings.recordings (operator_id, id)
    on delete cascade,
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id)
);

-- What a performer chose: the video of her empty room, and whether public shows may be recorded by others.
create table recordings.choices (
  operator_id bigint not null,
  performer_id bigint not null,
  offline_recording_id bigint,
  public_enabled boolean not null default false,
  public_price_tokens int not null default 0 check (public_price_tokens between 0 and 10000),
  -- When she said so last: the end of an older broadcast takes nothing back.
  public_changed_at timestamptz,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, offline_recording_id) references recordings.recordings (operator_id, id)
    on delete set null (offline_recording_id)
);
create index choices_offline on recordings.choices (operator_id, offline_recording_id);

-- Performers whose publishers are put aside for a pre-show test: after a restart they are put aside again, so
-- that an encoder which connects by itself never goes on air by surprise.
create table recordings.tests (
  operator_id bigint not null,
  performer_id bigint not null,
  began_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

select platform.own_table('recordings.recordings');
select platform.own_table('recordings.recording_people');
select platform.own_table('recordings.choices');
select platform.own_table('recordings.tests');
