-- What people are notified of. A row stands for every notice, in their list or not: `once` holds it back from
-- being made a second time.
create table notices.notices (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- Two texts of the slice that notifies, such as `messaging:notices.wentLive`.
  kind text not null,
  values jsonb not null,
  -- A path of the site.
  link text not null check (link like '/%' and link not like '//%'),
  once text,
  -- Whether it stands in the person's list.
  listed boolean not null,
  created_at timestamptz not null,
  read_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, person_id, once)
);
create index notices_of_person on notices.notices (operator_id, person_id, id desc);
create index notices_unread on notices.notices (operator_id, person_id) where listed and read_at is null;

-- Only what a person chose; defaults stand with each kind.
create table notices.preferences (
  operator_id bigint not null,
  person_id bigint not null,
  kind text not null,
  channel text not null check (channel in ('app', 'email', 'push', 'sms')),
  is_on boolean not null,
  primary key (operator_id, person_id, kind, channel)
);

create table notices.people (
  operator_id bigint not null,
  person_id bigint not null,
  -- Push messages say nothing of the site's nature.
  push_discreet boolean not null default true,
  primary key (operator_id, person_id)
);

-- What waits to leave the site: emails for the mail server, messages for push services. Gone once delivered.
create table notices.deliveries (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  channel text not null check (channel in ('email', 'push')),
  payload jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'failed')),
  attempts int not null default 0,
  created_at timestamptz not null,
  primary key (operator_id, id)
);
create index deliveries_failed on notices.deliveries (operator_id, id) where state = 'failed';

create table notices.push_subscriptions (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- What the browser reports as `player_id`.
  player_id text not null,
  endpoint text not null,
  p256dh text not null,
  auth text not null,
  created_at timestamptz not null,
  -- Of the last report of the browser.
  reported_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, endpoint),
  unique (operator_id, player_id)
);
create index push_subscriptions_of_person on notices.push_subscriptions (operator_id, person_id, id);

-- The key pair that push services know the operator by (RFC 8292); the private half is encrypted.
create table notices.push_keys (
  operator_id bigint not null,
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null,
  primary key (operator_id)
);

alter table notices.outbox add column channel text not null default 'email'
  check (channel in ('email', 'sms'));
alter table notices.outbox add column html text;
alter table notices.outbox add column unsubscribe text;

select platform.own_table('notices.notices');
select platform.own_table('notices.preferences');
select platform.own_table('notices.people');
select platform.own_table('notices.deliveries');
select platform.own_table('notices.push_subscriptions');
select platform.own_table('notices.push_keys');
