create schema shows;

-- Viewers' ratings of performers: one vote a UTC day.
create table shows.votes (
  operator_id bigint not null,
  performer_id bigint not null,
  viewer_id bigint not null,
  day date not null,
  is_up boolean not null,
  voted_at timestamptz not null,
  primary key (operator_id, performer_id, viewer_id, day),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index votes_of_viewer on shows.votes (operator_id, viewer_id, day desc, performer_id);
select platform.own_table('shows.votes');

-- Performers' settings for private shows. Prices on offer are in their listings; a price is stored here while
-- it is not offered, so that it returns with the offer.
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
  -- The price of spying while it is not offered, and the tip to start.
  spy_price int check (spy_price > 0),
  spy_startup_tip int not null default 0 check (spy_startup_tip >= 0),
  -- What viewers may share. Whether a performer accepts cameras at all is in their listings; the settings are
  -- stored here meanwhile.
  is_sharecam_in_private boolean not null default false,
  is_sharecam_in_public boolean not null default false,
  sharecam_price int check (sharecam_price > 0),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((discount_percent > 0) = (discount_until is not null))
);
select platform.own_table('shows.settings');

-- Private shows, from the request on. Seconds and tokens are those of the last capture: what came after is
-- lost if the process dies, and nobody pays for it.
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
  -- Numbers of the show's holds and captures, part of their operation ids.
  hold_number int not null default 0,
  capture_number int not null default 0,
  free_performer int not null default 0,
  free_viewer int not null default 0,
  released int not null default 0 check (released >= 0),
  -- Refund of a fan-club member for the show, in hundredths of a token, so that it is rounded down once and
  -- not with each capture.
  refund_hundredths bigint not null default 0
  check (refund_hundredths >= 0),
  -- The video that the two watch together, as the performer last controlled it. It ends with the show and
  -- with the recording.
  watch_id bigint,
  watch_length_ms int check (watch_length_ms > 0),
  watch_position_ms int,
  watch_is_playing boolean,
  watch_at timestamptz,
  -- Consents to a recording: the viewer's in the request, the performer's by accepting it, each with the
  -- version of its text.
  recording_viewer_at timestamptz,
  recording_viewer_version int check (recording_viewer_version > 0),
  recording_performer_at timestamptz,
  recording_performer_version int check (recording_performer_version > 0),
  -- When the performer deleted the recording, or part of it: nobody records or plays it any more.
  recording_withdrawn_at timestamptz,
  -- Whether the show is being recorded; null until it was tried.
  is_recorded boolean,
  -- Recorded length of a finished show, 0 for none; null until it is known.
  recorded_ms bigint check (recorded_ms >= 0),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id),
  check (captured <= (price::bigint * seconds) / 60),
  check ((phase = 'ended') = (end_reason is not null)),
  check ((deadline is not null) = (phase in ('requested', 'starting'))),
  check (watch_position_ms between 0 and watch_length_ms),
  constraint privates_watching check (
    num_nonnulls(watch_id, watch_length_ms, watch_position_ms, watch_is_playing, watch_at) in (0, 5)
    and (watch_id is null or phase = 'running')),
  constraint privates_recording_consent check (
    (recording_viewer_at is null) = (recording_viewer_version is null)
    and (recording_performer_at is null) = (recording_performer_version is null)
    and (recording_viewer_at is null or recording)
    and (recording_performer_at is null or recording_viewer_at is not null)),
  constraint privates_recorded check (
    (is_recorded is null or recording_performer_at is not null)
    and (is_recorded is not true or (phase = 'running' and recording_withdrawn_at is null))
    and (recorded_ms is null or (phase = 'ended' and recording_performer_at is not null))
    and (recording_withdrawn_at is null or recording_performer_at is not null))
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

-- Spying viewers of private shows, present and past. Seconds and tokens are those of the last capture.
create table shows.spies (
  operator_id bigint not null,
  id bigint generated always as identity,
  private_id bigint not null,
  performer_id bigint not null,
  viewer_id bigint not null,
  -- Tokens a minute; 0 for a fan-club member who spies for free.
  price int not null check (price >= 0),
  -- Tokens to start, paid with the first second.
  startup_tip int not null check (startup_tip >= 0),
  -- Seconds of the free preview, and those already seen.
  preview int not null check (preview >= 0),
  previewed int not null default 0 check (previewed between 0 and preview),
  started_at timestamptz not null,
  -- When the first second was paid, with the tip.
  paid_at timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'show_ended', 'user_ended', 'user_left', 'out_of_tokens', 'removed')),
  seconds int not null default 0 check (seconds >= 0),
  captured int not null default 0 check (captured >= 0),
  held int not null default 0 check (held >= 0),
  hold_number int not null default 0,
  capture_number int not null default 0,
  free_performer int not null default 0,
  free_viewer int not null default 0,
  released int not null default 0 check (released >= 0),
  -- When the viewer saw the first second after the free preview: from then on they read the show's chat.
  reads_since timestamptz,
  -- Sixtieths of a token left unpaid by earlier spying of the same viewer on the same show.
  carried smallint not null default 0 check (carried between 0 and 59),
  primary key (operator_id, id),
  foreign key (operator_id, private_id) references shows.privates (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id),
  constraint spies_check3 check ((ended_at is null) = (end_reason is null)),
  constraint spies_captured_of_seen check (captured <= (price::bigint * seconds + carried) / 60)
);
create unique index spies_of_viewer on shows.spies (operator_id, viewer_id) where ended_at is null;
create index spies_of_show on shows.spies (operator_id, private_id);
create index spies_of_pair on shows.spies (operator_id, viewer_id, performer_id, started_at desc);
create index spies_receipts_viewer on shows.spies (operator_id, viewer_id, id desc)
  where ended_at is not null;
create index spies_receipts_performer on shows.spies (operator_id, performer_id, id desc)
  where ended_at is not null;
select platform.own_table('shows.spies');

-- Ticket shows, from the offer on. Every time that decides about money is stored.
create table shows.ticket_shows (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  phase text not null check (phase in ('offered', 'running', 'ended', 'cancelled')),
  message text not null,
  ticket_price int not null check (ticket_price > 0),
  recording_price int not null default 0 check (recording_price >= 0),
  -- Viewers who joined later than this many minutes before the end get their tokens back.
  refund_minutes int not null check (refund_minutes >= 0),
  minimum_tickets int not null check (minimum_tickets > 0),
  minutes int not null check (minutes > 0),
  sold int not null default 0 check (sold >= 0),
  offered_at timestamptz not null,
  starts_at timestamptz not null,
  started_at timestamptz,
  -- Since when a running show has had no video.
  away_since timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'completed', 'ended_early', 'unpublish', 'performer', 'too_few_tickets', 'not_started')),
  -- Consent to a recording, given with the offer. Recordings are sold while the show runs, and paid with its
  -- tickets.
  recording_consent_at timestamptz,
  recording_consent_version int check (recording_consent_version > 0),
  -- When the performer deleted the recording, or part of it: nobody records, sells or plays it any more.
  recording_withdrawn_at timestamptz,
  -- Whether it is being recorded, and can be sold.
  is_recorded boolean not null default false,
  -- Recorded length of a show that ran as agreed; null if there is nothing to watch.
  recorded_ms bigint check (recorded_ms > 0),
  -- Whether buyers of the recording got it: decided once, when the first of them are settled.
  is_recording_delivered boolean,
  -- The line in the room's chat that offers the show, by its number in the log; null for older shows.
  chat_line bigint check (chat_line > 0),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (refund_minutes <= minutes),
  check ((phase in ('ended', 'cancelled')) = (end_reason is not null)),
  check ((end_reason is null) = (ended_at is null)),
  check ((phase in ('running', 'ended')) = (started_at is not null)),
  constraint ticket_shows_recording_consent check (
    (recording_price > 0) = (recording_consent_at is not null)
    and (recording_consent_at is null) = (recording_consent_version is null)),
  constraint ticket_shows_recorded check (
    (not is_recorded or (phase = 'running' and recording_price > 0 and recording_withdrawn_at is null))
    and (recorded_ms is null
      or (end_reason = 'completed' and recording_price > 0 and recording_withdrawn_at is null))),
  constraint ticket_shows_recording_delivered check (
    is_recording_delivered is null or end_reason is not null)
);
create unique index ticket_shows_open on shows.ticket_shows (operator_id, performer_id)
  where phase in ('offered', 'running');
create index ticket_shows_of_performer on shows.ticket_shows (operator_id, performer_id, id desc);
create index ticket_shows_recorded_newest on shows.ticket_shows (operator_id, id desc)
  where recorded_ms is not null;
select platform.own_table('shows.ticket_shows');

-- Tickets. The price is held until the show is over.
create table shows.tickets (
  operator_id bigint not null,
  id bigint generated always as identity,
  show_id bigint not null,
  viewer_id bigint not null,
  price int not null check (price > 0),
  bought_at timestamptz not null,
  state text not null check (state in ('held', 'paid', 'returned')),
  settled_at timestamptz,
  -- Region from which the holder bought the ticket or last entered the room: only a ticket whose holder could
  -- watch is paid. Null for older tickets.
  region text,
  -- Since when the holder may not watch the running show, and for how long they could not before.
  shut_out_since timestamptz,
  shut_out_ms int not null default 0 check (shut_out_ms >= 0),
  -- Time without video within the show's agreed length, in all.
  away_ms int not null default 0 check (away_ms >= 0),
  -- Since when the site has had no capacity for the holder, who cannot watch meanwhile.
  full_since timestamptz,
  -- Region in which the holder last got the video: while it may watch, a refused request from elsewhere does
  -- not count as shut out.
  served_region text,
  -- What the holder would have missed in each region from which they asked, until the video first starts:
  -- that region decides which value counts. Null after it.
  missed_in jsonb check (jsonb_typeof(missed_in) = 'object'),
  primary key (operator_id, id),
  unique (operator_id, show_id, viewer_id),
  foreign key (operator_id, show_id) references shows.ticket_shows (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index tickets_of_viewer on shows.tickets (operator_id, viewer_id, id desc);
create index tickets_held on shows.tickets (operator_id, show_id, id) where state = 'held';
select platform.own_table('shows.tickets');

-- Cameras that viewers share with a performer, from the request on. No video is stored. Seconds and tokens
-- are those of the last capture, as in private shows.
create table shows.sharecams (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  viewer_id bigint not null,
  mode text not null check (mode in ('public', 'private')),
  phase text not null check (phase in (
    'requested', 'declined', 'expired', 'withdrawn', 'started', 'ready', 'ended')),
  -- Tokens a minute, agreed with the request; 0 in private shows.
  price int not null check (price >= 0),
  -- When the viewer confirmed to be an adult, which every request needs.
  adult_at timestamptz not null,
  requested_at timestamptz not null,
  -- When the request expires.
  deadline timestamptz,
  accepted_at timestamptz,
  -- When the first media reached the performer.
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

-- Goals that viewers pay for together. Nobody pays if the goal is not reached.
create table shows.group_goals (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  title text not null,
  tokens int not null check (tokens > 0),
  progress int not null default 0,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  -- Since when the performer has been offline.
  away_since timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in ('reached', 'time_over', 'withdrawn', 'offline')),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (progress between 0 and tokens),
  check ((end_reason is null) = (ended_at is null)),
  check (end_reason is distinct from 'reached' or progress = tokens)
);
create unique index group_goals_open on shows.group_goals (operator_id, performer_id)
  where end_reason is null;
create index group_goals_of_performer on shows.group_goals (operator_id, performer_id, id desc);
select platform.own_table('shows.group_goals');

-- Viewers' gifts, each with the operation that holds it.
create table shows.group_goal_gifts (
  operator_id bigint not null,
  id bigint generated always as identity,
  goal_id bigint not null,
  viewer_id bigint not null,
  -- Id of the hold, so that a repeated request gives once.
  operation uuid not null,
  asked int not null check (asked > 0),
  tokens int not null check (tokens > 0 and tokens <= asked),
  given_at timestamptz not null,
  state text not null check (state in ('held', 'paid', 'returned')),
  settled_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, operation),
  foreign key (operator_id, goal_id) references shows.group_goals (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index group_goal_gifts_of_viewer on shows.group_goal_gifts (operator_id, viewer_id, id desc);
create index group_goal_gifts_held on shows.group_goal_gifts (operator_id, goal_id, id) where state = 'held';
create index group_goal_gifts_of_goal on shows.group_goal_gifts (operator_id, goal_id, viewer_id);
select platform.own_table('shows.group_goal_gifts');

-- Recordings bought with a ticket. The price is held until the show is over.
create table shows.ticket_recordings (
  operator_id bigint not null,
  id bigint generated always as identity,
  show_id bigint not null,
  viewer_id bigint not null,
  price int not null check (price > 0),
  bought_at timestamptz not null,
  state text not null check (state in ('held', 'paid', 'returned')),
  settled_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, show_id, viewer_id),
  foreign key (operator_id, show_id, viewer_id) references shows.tickets (operator_id, show_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index ticket_recordings_of_viewer on shows.ticket_recordings (operator_id, viewer_id, id desc);
select platform.own_table('shows.ticket_recordings');
