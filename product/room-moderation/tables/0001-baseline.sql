create schema room_moderation;

-- Restrictions of somebody in a room, present and past. A guest is known by the digest of their session.
create table room_moderation.restrictions (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  kind text not null check (kind in ('banned', 'kicked', 'silenced', 'moderator')),
  person_id bigint,
  guest_session text,
  guest_name text,
  -- Null if the room's own rules imposed it.
  by_id bigint,
  reason text not null check (length(reason) <= 200),
  at timestamptz not null,
  -- Null if it has no end.
  until timestamptz,
  -- Time at which it was lifted, or replaced by another of its kind.
  ended_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, by_id) references accounts.people (operator_id, id),
  check ((person_id is null) = (guest_session is not null and guest_name is not null)),
  check (kind <> 'moderator' or person_id is not null),
  check (kind not in ('kicked', 'moderator') or until is not null)
);
-- A person has at most one active restriction of each kind.
create unique index restrictions_person on room_moderation.restrictions
  (operator_id, performer_id, kind, person_id) where ended_at is null and person_id is not null;
create unique index restrictions_guest on room_moderation.restrictions
  (operator_id, performer_id, kind, guest_session) where ended_at is null and guest_session is not null;
create index restrictions_list on room_moderation.restrictions (operator_id, performer_id, kind, id)
  where ended_at is null;
-- People silenced by rules, in any room: every page asks for its own person.
create index restrictions_autosilenced on room_moderation.restrictions (operator_id, person_id)
  where ended_at is null and kind = 'silenced' and by_id is null;
select platform.own_table('room_moderation.restrictions');

-- Keyed digests by which a banned person is recognized. Deleted with the ban.
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
select platform.own_table('room_moderation.marks');

-- Keyed digests of visitors of rooms in the last day, so that a ban can cover them. Empty text stands for a
-- missing one.
create table room_moderation.traces (
  operator_id bigint not null,
  -- `person:12`, or `guest:` with the digest of the session.
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
-- A ban also covers visitors who share a device or network with its subject.
create index traces_devices on room_moderation.traces (operator_id, device) where device <> '';
create index traces_networks on room_moderation.traces (operator_id, network) where network <> '';
select platform.own_table('room_moderation.traces');

-- The room's log of moderators' actions.
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
select platform.own_table('room_moderation.actions');

-- A room's rules for speakers: a preset, and the performer's changes to it (null: as the preset).
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
  -- Days until a moderator's rights end; null for the default.
  moderator_days int check (moderator_days between 1 and 365),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('room_moderation.rules');

-- Words blocked in every room of the operator.
create table room_moderation.site_rules (
  operator_id bigint not null,
  blocked_words text[] not null check (cardinality(blocked_words) <= 1000),
  changed_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('room_moderation.site_rules');

-- How somebody has been speaking in a room, for pace limits and the spam ladder. Deleted after a month of
-- absence.
create table room_moderation.speakers (
  operator_id bigint not null,
  performer_id bigint not null,
  person_id bigint not null,
  entered_at timestamptz not null,
  seen_at timestamptz not null,
  -- When their first message was shown.
  admitted_at timestamptz,
  last_said_at timestamptz,
  pace_left double precision not null default 0,
  pace_at timestamptz,
  strikes int not null default 0 check (strikes >= 0),
  struck_at timestamptz,
  -- Number of recent automatic silences, and the end of the last. Each is longer than the one before.
  silences int not null default 0 check (silences >= 0),
  silenced_at timestamptz,
  primary key (operator_id, performer_id, person_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index speakers_old on room_moderation.speakers (operator_id, seen_at);
select platform.own_table('room_moderation.speakers');

-- Hashes of recent messages in a room, which reveal similarity but not the text.
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
select platform.own_table('room_moderation.sketches');

-- Messages held for a moderator, for an hour.
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
select platform.own_table('room_moderation.held');
