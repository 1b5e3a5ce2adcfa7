-- Requests to support, retained until answered and for a while after.
create schema support;

create table support.requests (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint,
  topic text not null,
  message text not null,
  email text,
  at timestamptz not null,
  closed_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  check (person_id is not null or email is not null)
);
create index open_requests on support.requests (operator_id, id desc) where closed_at is null;
create index requests_of_person on support.requests (operator_id, person_id) where closed_at is null;
select platform.own_table('support.requests');

-- One conversation per person, and per session of a guest.
create table support.conversations (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint,
  guest text,
  guest_name text,
  is_waiting boolean not null,
  last_message_id bigint not null,
  last_text text not null,
  last_at timestamptz not null,
  closed_at timestamptz,
  -- The last message that the person has seen. Older answers cause no notice.
  read_message_id bigint not null default 0,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  check ((person_id is null) <> (guest is null)),
  check ((guest is null) = (guest_name is null))
);
create unique index conversation_of_person on support.conversations (operator_id, person_id);
create unique index conversation_of_guest on support.conversations (operator_id, guest);
create index open_conversations on support.conversations (operator_id, last_message_id desc)
  where closed_at is null;
create index closed_conversations on support.conversations (operator_id, closed_at)
  where closed_at is not null;
select platform.own_table('support.conversations');

create table support.messages (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  conversation_id bigint not null,
  -- The admin who answered; null for the person's own messages.
  admin_id bigint,
  text text not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, conversation_id) references support.conversations on delete cascade,
  foreign key (operator_id, admin_id) references accounts.people (operator_id, id)
);
create index messages_of_conversation on support.messages (operator_id, conversation_id, id desc);
select platform.own_table('support.messages');

-- People to whom an admin shows the telephone number of support.
create table support.phone_people (
  operator_id bigint not null,
  person_id bigint not null,
  since timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('support.phone_people');
