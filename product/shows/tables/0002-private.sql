-- What performers offer of private shows, beside their prices, which are in their listings. A price stands
-- here while it is not offered, so that it comes back with the offer.
create table shows.settings (
  operator_id bigint not null,
  performer_id bigint not null,
  private_price int check (private_price > 0),
  exclusive_price int check (exclusive_price > 0),
  is_recording_enabled boolean not null default false,
  is_pre_tip_enabled boolean not null default false,
  pre_tip int not null default 0 check (pre_tip >= 0),
  is_watch_together_enabled boolean not null default false,
  minimum_minutes int not null default 0 check (minimum_minutes >= 0),
  minimum_tokens int not null default 0 check (minimum_tokens >= 0),
  discount_percent int not null default 0 check (discount_percent between 0 and 100),
  discount_until timestamptz,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((discount_percent > 0) = (discount_until is not null))
);
select platform.own_table('shows.settings');

-- Private shows from the request on. Seconds and tokens are those of the last capture: a process that dies
-- forgets what came after, and nobody pays for it.
create table shows.privates (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  viewer_id bigint not null,
  phase text not null check (phase in (
    'requested', 'declined', 'expired', 'withdrawn', 'starting', 'running', 'ended')),
  exclusive boolean not null,
  recording boolean not null,
  -- Tokens a minute, agreed with the request.
  price int not null check (price > 0),
  limit_tokens int check (limit_tokens > 0),
  pre_tip int not null check (pre_tip >= 0),
  requested_at timestamptz not null,
  -- When `requested` or `starting` ends by itself.
  deadline timestamptz,
  accepted_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'model_ended', 'out_of_tokens', 'unpublish', 'user_ended', 'user_left')),
  seconds int not null default 0 check (seconds >= 0),
  captured int not null default 0 check (captured >= 0),
  held int not null default 0 check (held >= 0),
  -- Counts the holds and the captures of the show, for the ids of their operations.
  hold_number int not null default 0,
  capture_number int not null default 0,
  free_performer int not null default 0,
  free_viewer int not null default 0,
  released int not null default 0 check (released >= 0),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id),
  check (captured <= (price::bigint * seconds) / 60),
  check ((phase = 'ended') = (end_reason is not null)),
  check ((deadline is not null) = (phase in ('requested', 'starting')))
);
create unique index privates_request on shows.privates (operator_id, performer_id, viewer_id)
  where phase = 'requested';
create unique index privates_of_performer on shows.privates (operator_id, performer_id)
  where phase in ('starting', 'running');
create unique index privates_of_viewer on shows.privates (operator_id, viewer_id)
  where phase in ('starting', 'running');
create index privates_waiting on shows.privates (operator_id, viewer_id) where phase = 'requested';
create index privates_receipts_viewer on shows.privates (operator_id, viewer_id, id desc)
  where phase = 'ended';
create index privates_receipts_performer on shows.privates (operator_id, performer_id, id desc)
  where phase = 'ended';
select platform.own_table('shows.privates');
