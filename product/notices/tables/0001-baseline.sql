-- The development outbox: messages stored instead of sent.
create schema notices;

create table notices.outbox (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  recipient text not null,
  subject text not null,
  body text not null,
  kind text not null,
  at timestamptz not null,
  channel text not null default 'email'
  check (channel in ('email', 'sms')),
  html text,
  unsubscribe text,
  -- Recipient of a text message, so that it is erased with them even if their number changes.
  person_id bigint,
  primary key (operator_id, id)
);
select platform.own_table('notices.outbox');

-- Notices to people. Each has a row, listed or not, because `once` prevents a duplicate.
create table notices.notices (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- Key of two texts of the notifying slice, such as `messaging:notices.wentLive`.
  kind text not null,
  values jsonb not null,
  -- A path of the site.
  link text not null check (link like '/%' and link not like '//%'),
  once text,
  -- Whether it is in the person's list.
  listed boolean not null,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, person_id, once)
);
create index notices_of_person on notices.notices (operator_id, person_id, id desc);
create index notices_unread on notices.notices (operator_id, person_id) where listed and read_at is null;
select platform.own_table('notices.notices');

-- Only what a person chose; each kind has its defaults.
create table notices.preferences (
  operator_id bigint not null,
  person_id bigint not null,
  kind text not null,
  channel text not null check (channel in ('app', 'email', 'push', 'sms')),
  is_on boolean not null,
  primary key (operator_id, person_id, kind, channel)
);
select platform.own_table('notices.preferences');

create table notices.people (
  operator_id bigint not null,
  person_id bigint not null,
  -- Whether push messages hide the nature of the site.
  push_discreet boolean not null default true,
  primary key (operator_id, person_id)
);
select platform.own_table('notices.people');

-- Emails, push messages and text messages that wait to be sent. Deleted once delivered.
create table notices.deliveries (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  channel text not null
    check (channel in ('email', 'push', 'sms')),
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'failed')),
  attempts int not null default 0,
  created_at timestamptz not null,
  primary key (operator_id, id)
);
create index deliveries_failed on notices.deliveries (operator_id, id) where state = 'failed';
select platform.own_table('notices.deliveries');

create table notices.push_subscriptions (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- The browser's id, as it reports it.
  player_id text not null,
  endpoint text,
  p256dh text,
  auth text,
  created_at timestamptz not null,
  -- Time of the browser's last report.
  reported_at timestamptz,
  -- The browser's log-in session at its registration or last report: messages end with the session. Null for
  -- older registrations until the browser reports again.
  session text,
  -- Registration with a push provider's app: the provider has endpoint and keys, and knows the browser by
  -- player_id. Null for browsers that the site sends to itself.
  app_id text,
  primary key (operator_id, id),
  unique (operator_id, endpoint),
  unique (operator_id, player_id),
  check (case when app_id is null then num_nulls(endpoint, p256dh, auth) = 0
    else num_nonnulls(endpoint, p256dh, auth) = 0 end)
);
create index push_subscriptions_of_person on notices.push_subscriptions (operator_id, person_id, id);
create index push_subscriptions_session on notices.push_subscriptions (operator_id, session)
  where session is not null;
select platform.own_table('notices.push_subscriptions');

-- The operator's key pair for push services (RFC 8292). The private key is encrypted.
create table notices.push_keys (
  operator_id bigint not null,
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('notices.push_keys');

-- The company that sends an operator's push messages in its place. The API key is encrypted.
create table notices.push_providers (
  operator_id bigint not null,
  script text not null,
  worker text not null,
  origins text[] not null,
  api_url text not null,
  app_id text not null,
  api_key text not null,
  changed_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('notices.push_providers');
