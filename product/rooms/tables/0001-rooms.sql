create schema rooms;

-- One row per performer whose room was ever used. Locking it puts the messages of the room in one order.
create table rooms.rooms (
  operator_id bigint not null,
  performer_id bigint not null,
  status text not null default 'offline' check (status in (
    'offline', 'online', 'online_ai', 'standby', 'private', 'limited', 'connected', 'reconnecting')),
  -- Name of the stream to play while there is one.
  stream text,
  changed_at timestamptz not null,
  last_message_id bigint not null default 0,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (status <> 'offline' or stream is null)
);
create index rooms_live on rooms.rooms (operator_id, changed_at desc) where status = 'online';

-- The last messages of each room; older ones are deleted as new ones come. Names are looked up, not kept.
create table rooms.messages (
  operator_id bigint not null,
  performer_id bigint not null,
  -- Counts within the room, without gaps.
  id bigint not null,
  sender_id bigint not null,
  kind text not null check (kind in ('message', 'tip')),
  body text not null check (length(body) <= 400),
  tokens int not null check ((kind = 'tip') = (tokens > 0) and tokens >= 0),
  -- Tipped by the sender in the 24 h before.
  recent_tips bigint not null check (recent_tips >= 0),
  is_performer boolean not null,
  is_moderator boolean not null,
  language text,
  at timestamptz not null,
  primary key (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references rooms.rooms (operator_id, performer_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id)
);

-- Facts that were shown in chat, for a day: a fact that is delivered again is not shown again.
create table rooms.shown_facts (
  operator_id bigint not null,
  fact_id text not null,
  at timestamptz not null,
  primary key (operator_id, fact_id)
);
create index shown_facts_old on rooms.shown_facts (operator_id, at);

select platform.own_table('rooms.rooms');
select platform.own_table('rooms.messages');
select platform.own_table('rooms.shown_facts');
