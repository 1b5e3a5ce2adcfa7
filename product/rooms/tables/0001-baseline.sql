create schema rooms;

-- One row per performer whose room was ever used. Locking it orders the room's messages.
create table rooms.rooms (
  operator_id bigint not null,
  performer_id bigint not null,
  status text not null default 'offline' check (status in (
    'offline', 'online', 'online_ai', 'standby', 'private', 'limited', 'connected', 'reconnecting')),
  -- Name of the stream to play; null if there is none.
  stream text,
  changed_at timestamptz not null,
  last_message_id bigint not null default 0,
  -- Chat mode, as set by /setmode.
  mode text not null default 'public' check (mode in ('public', 'limited')),
  -- The show or game that runs and excludes others; null for none.
  activity text
    check (activity in ('private', 'ticket', 'versus', 'app')),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (status <> 'offline' or stream is null)
);
create index rooms_live on rooms.rooms (operator_id, changed_at desc) where status = 'online';
select platform.own_table('rooms.rooms');

-- Latest messages of each room. Older ones are deleted as new ones come. Names are looked up and not stored.
create table rooms.messages (
  operator_id bigint not null,
  performer_id bigint not null,
  -- Number within the room's log.
  id bigint not null,
  sender_id bigint not null,
  kind text not null
    check (kind in ('message', 'tip', 'notice')),
  body text not null check (length(body) <= 400),
  tokens int not null check ((kind = 'tip') = (tokens > 0) and tokens >= 0),
  -- Tokens tipped by the sender in the 24 h before.
  recent_tips bigint not null check (recent_tips >= 0),
  is_performer boolean not null,
  is_moderator boolean not null,
  language text,
  at timestamptz not null,
  -- The sender's tier at that time.
  has_tokens boolean not null default false,
  is_vip boolean not null default false,
  is_super_vip boolean not null default false,
  is_invisible boolean not null default false,
  -- The message that it answers: number, sender and beginning, because it may be gone.
  reply_to bigint,
  reply_sender_id bigint,
  reply_excerpt text check (length(reply_excerpt) <= 80),
  -- An anonymous tip, shown without its sender.
  is_anonymous boolean not null default false,
  -- The sender's level in the performer's fan club at that time.
  fanclub_level text
  check (fanclub_level in ('supporter', 'insider', 'legend')),
  primary key (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references rooms.rooms (operator_id, performer_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  constraint messages_reply_check
    check ((reply_to is null) = (reply_sender_id is null) and (reply_to is null) = (reply_excerpt is null)),
  constraint messages_reply_sender_fkey
    foreign key (operator_id, reply_sender_id) references accounts.people (operator_id, id),
  constraint messages_anonymous_check check (not is_anonymous or kind = 'tip')
);
create index messages_sender on rooms.messages (operator_id, performer_id, sender_id);
select platform.own_table('rooms.messages');

-- Facts shown in chat on the last day, so that a fact delivered again is not shown again.
create table rooms.shown_facts (
  operator_id bigint not null,
  fact_id text not null,
  at timestamptz not null,
  primary key (operator_id, fact_id)
);
create index shown_facts_old on rooms.shown_facts (operator_id, at);
select platform.own_table('rooms.shown_facts');

-- The log of each room: every lasting event under its sequence number, as it was sent to the room.
-- `rooms.last_message_id` counts it. A message's id is its number, so ids have gaps where other events are.
-- Old entries are deleted.
create table rooms.log (
  operator_id bigint not null,
  performer_id bigint not null,
  seq bigint not null check (seq > 0),
  -- Socket event and payload for everybody in the room.
  name text not null,
  payload jsonb not null,
  -- Payload with the subject's name, for the subject, the performer, room admins and moderators.
  named jsonb,
  -- Who said it, or whom it is about.
  subject_id bigint,
  primary key (operator_id, performer_id, seq),
  foreign key (operator_id, performer_id) references rooms.rooms (operator_id, performer_id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id)
);
select platform.own_table('rooms.log');

-- Performers' settings of their rooms. Defaults apply without a row.
create table rooms.settings (
  operator_id bigint not null,
  performer_id bigint not null,
  follow_enabled boolean not null default true,
  is_user_list_visible boolean not null default false,
  broadcast_category text,
  subject_color text check (subject_color ~ '^#[0-9a-f]{6}$'),
  -- scrypt hash with its salt; null without a camera password.
  password_hash text,
  -- Grows with each change of the password.
  password_number int not null default 0,
  -- Repeated at an interval of minutes while the room is online.
  notice text check (length(notice) <= 400),
  notice_minutes int check (notice_minutes > 0),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((notice is null) = (notice_minutes is null))
);
select platform.own_table('rooms.settings');

-- Sessions that entered the camera password. Valid while the number is the current one.
create table rooms.password_proofs (
  operator_id bigint not null,
  performer_id bigint not null,
  session_id text not null,
  -- Who receives the stream: the id of a person, or of the session if nobody is logged in.
  seat text not null,
  password_number int not null,
  at timestamptz not null,
  primary key (operator_id, performer_id, session_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('rooms.password_proofs');

-- People who hide from user lists.
create table rooms.invisible (
  operator_id bigint not null,
  person_id bigint not null,
  level int not null check (level between 1 and 2),
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('rooms.invisible');

-- Chat of shows. The room's log and history do not contain it.
create table rooms.show_messages (
  operator_id bigint not null,
  performer_id bigint not null,
  id bigint generated by default as identity,
  sender_id bigint not null,
  kind text not null check (kind in ('message', 'tip', 'notice')),
  body text not null check (length(body) <= 400),
  tokens int not null check ((kind = 'tip') = (tokens > 0) and tokens >= 0),
  recent_tips bigint not null check (recent_tips >= 0),
  is_performer boolean not null,
  is_moderator boolean not null,
  language text,
  at timestamptz not null,
  has_tokens boolean not null,
  is_vip boolean not null,
  is_super_vip boolean not null,
  is_invisible boolean not null,
  reply_to bigint,
  reply_sender_id bigint,
  reply_excerpt text check (length(reply_excerpt) <= 80),
  is_anonymous boolean not null check (not is_anonymous or kind = 'tip'),
  fanclub_level text check (fanclub_level in ('supporter', 'insider', 'legend')),
  -- The show, such as private:12 or ticket:34.
  show_key text not null check (length(show_key) <= 32),
  primary key (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references rooms.rooms (operator_id, performer_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, reply_sender_id) references accounts.people (operator_id, id),
  check ((reply_to is null) = (reply_sender_id is null) and (reply_to is null) = (reply_excerpt is null))
);
create index show_messages_of on rooms.show_messages (operator_id, performer_id, show_key, id);
create index show_messages_sender on rooms.show_messages (operator_id, sender_id);
select platform.own_table('rooms.show_messages');
