create schema room_moderation;

-- What holds, or held, for somebody in a room. A guest is known by the digest of their session.
create table room_moderation.restrictions (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  kind text not null check (kind in ('banned', 'kicked', 'silenced', 'moderator')),
  person_id bigint,
  guest_session text,
  guest_name text,
  -- Null for the rules of the room itself.
  by_id bigint,
  reason text not null check (length(reason) <= 200),
  at timestamptz not null,
  -- Null for what lasts.
  until timestamptz,
  -- Set when it was taken back, or replaced by another of its kind.
  ended_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, by_id) references accounts.people (operator_id, id),
  check ((person_id is null) = (guest_session is not null and guest_name is not null)),
  check (kind <> 'moderator' or person_id is not null),
  check (kind not in ('kicked', 'moderator') or until is not null)
);
-- One of a kind for one person at a time.
create unique index restrictions_person on room_moderation.restrictions
  (operator_id, performer_id, kind, person_id) where ended_at is null and person_id is not null;
create unique index restrictions_guest on room_moderation.restrictions
  (operator_id, performer_id, kind, guest_session) where ended_at is null and guest_session is not null;
create index restrictions_list on room_moderation.restrictions (operator_id, performer_id, kind, id)
  where ended_at is null;

-- By what else a banned person is known: keyed digests, gone with the ban.
create table room_moderation.marks (
  operator_id bigint not null,
  restriction_id bigint not null,
  performer_id bigint not null,
  kind text not null check (kind in ('session', 'device', 'network')),
  digest text not null,
  primary key (operator_id, restriction_id, kind, digest),
  foreign key (operator_id, restriction_id) references room_moderation.restrictions (operator_id, id)
    on delete cascade
);
create index marks_known on room_moderation.marks (operator_id, performer_id, kind, digest);

-- How visitors of rooms were known in the last day: keyed digests, so that a ban can cover them. Empty texts
-- stand for what was not there.
create table room_moderation.traces (
  operator_id bigint not null,
  -- `person:12`, or `guest:` and the digest of the session.
  who text not null,
  guest_name text,
  session text not null,
  device text not null,
  network text not null,
  seen_at timestamptz not null,
  primary key (operator_id, who, session, device, network)
);
create index traces_old on room_moderation.traces (operator_id, seen_at);
create index traces_guests on room_moderation.traces (operator_id, guest_name) where guest_name is not null;

-- The room's own log of what its moderators did.
create table room_moderation.actions (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  action text not null check (action in (
    'ban', 'unban', 'kick', 'silence', 'unsilence', 'moderator', 'unmoderator')),
  person_id bigint,
  guest_name text,
  by_id bigint,
  reason text not null check (length(reason) <= 200),
  until timestamptz,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, by_id) references accounts.people (operator_id, id),
  check ((person_id is null) = (guest_name is not null))
);
create index actions_room on room_moderation.actions (operator_id, performer_id, id);

-- What a performer's room asks of its speakers: a preset, and what she changed of it (null: as the preset).
create table room_moderation.rules (
  operator_id bigint not null,
  performer_id bigint not null,
  preset text not null check (preset in ('open', 'careful', 'fans_only')),
  chat_allowed text check (chat_allowed in ('all', 'tip_anytime', 'tip_recent', 'tokens')),
  slow_mode_seconds int check (slow_mode_seconds between 0 and 300),
  join_cool_down_seconds int check (join_cool_down_seconds between 0 and 300),
  links text check (links in ('allow', 'hold', 'refuse')),
  first_message_hold boolean,
  blocked_words text[] not null default '{}' check (cardinality(blocked_words) <= 200),
  changed_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- Words blocked in every room of the operator.
create table room_moderation.site_rules (
  operator_id bigint not null,
  blocked_words text[] not null check (cardinality(blocked_words) <= 1000),
  changed_at timestamptz not null,
  primary key (operator_id)
);

-- How somebody speaks in a room: what paces and the spam ladder count. Forgotten after a month away.
create table room_moderation.speakers (
  operator_id bigint not null,
  performer_id bigint not null,
  person_id bigint not null,
  entered_at timestamptz not null,
  seen_at timestamptz not null,
  -- When the first message was shown.
  admitted_at timestamptz,
  last_said_at timestamptz,
  pace_left double precision not null default 0,
  pace_at timestamptz,
  strikes int not null default 0 check (strikes >= 0),
  struck_at timestamptz,
  -- Automatic silences lately, and the last of them: each is longer than the one before.
  silences int not null default 0 check (silences >= 0),
  silenced_at timestamptz,
  primary key (operator_id, performer_id, person_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index speakers_old on room_moderation.speakers (operator_id, seen_at);

-- What was said in a room in the last minutes, as hashes that tell likeness and not the text.
create table room_moderation.sketches (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  person_id bigint not null,
  letters int not null,
  sketch int[] not null check (cardinality(sketch) <= 64),
  at timestamptz not null,
  primary key (operator_id, id)
);
create index sketches_room on room_moderation.sketches (operator_id, performer_id, id);

-- Messages that wait for a moderator, for an hour.
create table room_moderation.held (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  person_id bigint not null,
  body text not null check (length(body) <= 400),
  language text not null,
  recent_tips bigint not null,
  why text not null check (why in ('link', 'first_message')),
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index held_room on room_moderation.held (operator_id, performer_id, id);

select platform.own_table('room_moderation.restrictions');
select platform.own_table('room_moderation.marks');
select platform.own_table('room_moderation.traces');
select platform.own_table('room_moderation.actions');
select platform.own_table('room_moderation.rules');
select platform.own_table('room_moderation.site_rules');
select platform.own_table('room_moderation.speakers');
select platform.own_table('room_moderation.sketches');
select platform.own_table('room_moderation.held');
