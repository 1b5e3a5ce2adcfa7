-- What performers allow viewers to share. Whether they take cameras at all is in their listings; what stands
-- here while they take none comes back with the offer.
alter table shows.settings
  add column is_sharecam_in_private boolean not null default false,
  add column is_sharecam_in_public boolean not null default false,
  add column sharecam_price int check (sharecam_price > 0);

-- Cameras that viewers shared with a performer, from the request on. Nothing of what they showed is stored.
-- Seconds and tokens are those of the last capture, as of private shows.
create table shows.sharecams (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  viewer_id bigint not null,
  mode text not null check (mode in ('public', 'private')),
  phase text not null check (phase in (
    'requested', 'declined', 'expired', 'withdrawn', 'started', 'ready', 'ended')),
  -- Tokens a minute, agreed with the request; 0 in private.
  price int not null check (price >= 0),
  -- When the viewer confirmed to be an adult: no camera is asked for without.
  adult_at timestamptz not null,
  requested_at timestamptz not null,
  -- When a request expires.
  deadline timestamptz,
  accepted_at timestamptz,
  -- The first media that reached the performer.
  ready_at timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'model_ended', 'user_ended', 'out_of_tokens', 'no_media', 'not_watched', 'unavailable', 'removed',
    'closed', 'restarted')),
  seconds int not null default 0 check (seconds >= 0),
  captured int not null default 0 check (captured >= 0),
  held int not null default 0 check (held >= 0),
  hold_number int not null default 0,
  capture_number int not null default 0,
  free_performer int not null default 0,
  free_viewer int not null default 0,
  released int not null default 0 check (released >= 0),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id),
  check ((mode = 'private') = (price = 0)),
  check (captured <= (price::bigint * seconds) / 60),
  check ((phase = 'ended') = (end_reason is not null)),
  check ((deadline is not null) = (phase = 'requested'))
);
create unique index sharecams_of_viewer on shows.sharecams (operator_id, viewer_id)
  where phase in ('requested', 'started', 'ready');
create index sharecams_of_performer on shows.sharecams (operator_id, performer_id, id)
  where phase in ('requested', 'started', 'ready');
create index sharecams_receipts_viewer on shows.sharecams (operator_id, viewer_id, id desc)
  where phase = 'ended';
create index sharecams_receipts_performer on shows.sharecams (operator_id, performer_id, id desc)
  where phase = 'ended';
select platform.own_table('shows.sharecams');
