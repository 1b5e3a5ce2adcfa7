create schema recordings;

-- One row per recording, with the consent given for it alone. Public ones are of public broadcasts. Those of
-- shows are of the show's own stream: of a ticket show for its performer and buyers, of a private show for
-- its performer and viewer. Each kind of show counts its own ids, so that `mode` says which kind `show_id`
-- means.
create table recordings.recordings (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- Id of the recorded broadcast.
  broadcast_id bigint not null,
  mode text not null
    check (mode in ('public', 'limited', 'private')),
  -- Random, so that no file name reveals another.
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
  show_id bigint,
  primary key (operator_id, id),
  unique (operator_id, file),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (consent_at <= started_at),
  check ((state = 'recording') = (ended_at is null and reason is null)),
  constraint recordings_id_mode unique (operator_id, id, mode),
  constraint recordings_show_check check ((mode = 'public') = (show_id is null))
);
create index recordings_performer on recordings.recordings (operator_id, performer_id, id);
create unique index recordings_running on recordings.recordings (operator_id, performer_id)
  where state = 'recording';
create index recordings_of_show on recordings.recordings (operator_id, mode, show_id, id)
  where show_id is not null;
select platform.own_table('recordings.recordings');

-- People seen in a recording, each with the clearance that was valid at its start.
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
select platform.own_table('recordings.recording_people');

-- A performer's choices: the video shown while they are offline, and whether others may record public shows.
create table recordings.choices (
  operator_id bigint not null,
  performer_id bigint not null,
  offline_recording_id bigint,
  public_enabled boolean not null default false,
  public_price_tokens int not null default 0 check (public_price_tokens between 0 and 10000),
  -- When the performer last changed it: the end of an older broadcast then changes nothing.
  public_changed_at timestamptz,
  -- Everybody sees the offline video, so it must be a public recording.
  offline_mode text not null default 'public' check (offline_mode = 'public'),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, offline_recording_id) references recordings.recordings (operator_id, id)
    on delete set null (offline_recording_id),
  foreign key (operator_id, offline_recording_id, offline_mode)
    references recordings.recordings (operator_id, id, mode) on delete set null (offline_recording_id)
);
create index choices_offline on recordings.choices (operator_id, offline_recording_id);
select platform.own_table('recordings.choices');

-- Performers in a pre-show test. It survives a restart, so that an encoder which reconnects by itself does
-- not go on air unexpectedly.
create table recordings.tests (
  operator_id bigint not null,
  performer_id bigint not null,
  began_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('recordings.tests');

-- Recordings that their performer deleted while a report of them was open. Only whoever decides on the report
-- sees them, until it is closed. Public ones are those that guests saw as an offline video.
create table recordings.evidence (
  operator_id bigint not null,
  -- Id of the recording.
  id bigint not null,
  performer_id bigint not null,
  mode text not null
    check (mode in ('public', 'limited', 'private')),
  show_id bigint not null,
  file text not null,
  duration_ms bigint not null check (duration_ms >= 0),
  deleted_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, file),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  -- A public recording belongs to no show; its own id stands in.
  constraint evidence_public_check check (mode <> 'public' or show_id = id)
);
create index evidence_of_show on recordings.evidence (operator_id, performer_id, mode, show_id);
select platform.own_table('recordings.evidence');
