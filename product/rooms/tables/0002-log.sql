-- The log of each room: every lasting event under its number, as the room heard it. `rooms.last_message_id`
-- counts it; the id of a message is its number, so ids have gaps where other events stand. Old entries go.
create table rooms.log (
  operator_id bigint not null,
  performer_id bigint not null,
  seq bigint not null check (seq > 0),
  -- Socket event and payload for everybody in the room.
  name text not null,
  payload jsonb not null,
  -- The same with the name of its subject, for the subject, the performer, room admins and moderators.
  named jsonb,
  -- Who said it, or whom it is about.
  subject_id bigint,
  primary key (operator_id, performer_id, seq),
  foreign key (operator_id, performer_id) references rooms.rooms (operator_id, performer_id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id)
);

-- What /setmode made of the chat.
alter table rooms.rooms add column mode text not null default 'public' check (mode in ('public', 'limited'));

alter table rooms.messages drop constraint messages_kind_check;
alter table rooms.messages add constraint messages_kind_check check (kind in ('message', 'tip', 'notice'));
alter table rooms.messages
  -- The sender's tier as it was.
  add column has_tokens boolean not null default false,
  add column is_vip boolean not null default false,
  add column is_super_vip boolean not null default false,
  add column is_invisible boolean not null default false,
  -- The message it answers, which may be gone: its number, sender and start.
  add column reply_to bigint,
  add column reply_sender_id bigint,
  add column reply_excerpt text check (length(reply_excerpt) <= 80),
  add constraint messages_reply_check
    check ((reply_to is null) = (reply_sender_id is null) and (reply_to is null) = (reply_excerpt is null)),
  add constraint messages_reply_sender_fkey
    foreign key (operator_id, reply_sender_id) references accounts.people (operator_id, id);
create index messages_sender on rooms.messages (operator_id, performer_id, sender_id);

-- What performers settled for their rooms; without a row everything is as it comes.
create table rooms.settings (
  operator_id bigint not null,
  performer_id bigint not null,
  follow_enabled boolean not null default true,
  is_user_list_visible boolean not null default false,
  broadcast_category text,
  subject_color text check (subject_color ~ '^#[0-9a-f]{6}$'),
  -- scrypt, with its salt; null without a camera password.
  password_hash text,
  -- Grows with every change of the password.
  password_number int not null default 0,
  -- Shown again every so many minutes while the room is online.
  notice text check (length(notice) <= 400),
  notice_minutes int check (notice_minutes > 0),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((notice is null) = (notice_minutes is null))
);

-- Sessions that entered the camera password; worth something while the number is the present one.
create table rooms.password_proofs (
  operator_id bigint not null,
  performer_id bigint not null,
  session_id text not null,
  -- Whose seat hears the stream: a person's id, or the session's where nobody is logged in.
  seat text not null,
  password_number int not null,
  at timestamptz not null,
  primary key (operator_id, performer_id, session_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- People who hide from user lists.
create table rooms.invisible (
  operator_id bigint not null,
  person_id bigint not null,
  level int not null check (level between 1 and 2),
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

select platform.own_table('rooms.log');
select platform.own_table('rooms.settings');
select platform.own_table('rooms.password_proofs');
select platform.own_table('rooms.invisible');
