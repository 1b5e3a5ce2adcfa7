create schema tips;

-- Tips of the last day, for sums of recent tips. The ledger has all of them.
create table tips.recent (
  operator_id bigint not null,
  tip_id uuid not null,
  sender_id bigint not null,
  receiver_id bigint not null,
  tokens int not null check (tokens > 0),
  at timestamptz not null,
  -- Amounts shown beside a name leave anonymous tips out.
  is_anonymous boolean not null default false,
  primary key (operator_id, tip_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, receiver_id) references accounts.people (operator_id, id)
);
create index recent_pair on tips.recent (operator_id, receiver_id, sender_id, at);
create index recent_old on tips.recent (operator_id, at);
select platform.own_table('tips.recent', 'select', 'insert', 'delete');

-- Who ever tipped whom: rooms can limit their chat to those people.
create table tips.tippers (
  operator_id bigint not null,
  sender_id bigint not null,
  receiver_id bigint not null,
  first_at timestamptz not null,
  primary key (operator_id, receiver_id, sender_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, receiver_id) references accounts.people (operator_id, id)
);
select platform.own_table('tips.tippers', 'select', 'insert');

-- Every tip once, as published by the ledger, for histories and goals.
create table tips.tips (
  operator_id bigint not null,
  id bigint generated always as identity,
  tip_id uuid not null,
  sender_id bigint not null,
  receiver_id bigint not null,
  tokens int not null check (tokens > 0),
  comment text not null check (length(comment) <= 200),
  type text not null,
  source_id text,
  vr boolean not null,
  app_data jsonb not null,
  -- Title of the ordered item at that time.
  title text,
  -- Whether the sender's name is withheld from the receiver.
  is_anonymous boolean not null,
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, tip_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, receiver_id) references accounts.people (operator_id, id)
);
create index tips_received on tips.tips (operator_id, receiver_id, id desc);
create index tips_sent on tips.tips (operator_id, sender_id, id desc);
create index tips_received_days on tips.tips (operator_id, receiver_id, at desc);
create index tips_sent_days on tips.tips (operator_id, sender_id, at desc);
select platform.own_table('tips.tips', 'select', 'insert');
-- Erasure removes what a person wrote; their tips stay.
grant update (comment, app_data, title) on tips.tips to candela_app;

-- Items never change: a new title or price is a new item, and the old one ends.
create table tips.menu_items (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  title text not null check (length(title) between 1 and 60),
  price int not null check (price > 0),
  place int not null check (place >= 0),
  ended_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index menu_items_open on tips.menu_items (operator_id, performer_id, place) where ended_at is null;
select platform.own_table('tips.menu_items');

-- Goals in order. Only the first that is not over makes progress.
create table tips.goals (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  title text not null check (length(title) between 1 and 60),
  target int not null check (target > 0),
  progress int not null default 0 check (progress between 0 and target),
  made_at timestamptz not null,
  reached_at timestamptz,
  -- When it was reached or removed.
  ended_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (reached_at is null or (ended_at is not null and progress = target))
);
create index goals_open on tips.goals (operator_id, performer_id, id) where ended_at is null;
select platform.own_table('tips.goals');

-- The last split of each performer.
create table tips.splits (
  operator_id bigint not null,
  performer_id bigint not null,
  -- New for each split; names its operations in the ledger.
  split_id uuid not null,
  -- Null if the performer proposed it.
  proposer_id bigint,
  total int not null check (total > 0),
  people int not null check (people between 2 and 20),
  mode text not null check (mode in ('available', 'proposed', 'canceled', 'success')),
  reason text
    check (reason in ('timeout', 'withdrawn', 'unpaid', 'private', 'offline')),
  started_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, proposer_id) references accounts.people (operator_id, id),
  check ((mode = 'canceled') = (reason is not null))
);
select platform.own_table('tips.splits');

create table tips.splitters (
  operator_id bigint not null,
  performer_id bigint not null,
  person_id bigint not null,
  place int not null check (place > 0),
  tokens int not null check (tokens > 0),
  primary key (operator_id, performer_id, person_id),
  unique (operator_id, performer_id, place),
  foreign key (operator_id, performer_id) references tips.splits (operator_id, performer_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('tips.splitters');

-- Effects of tips, and their progress.
create table tips.effects (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- The tip, goal or split that caused the effect, so that it is made once.
  source text not null,
  kind text not null check (kind in ('order', 'goal', 'split', 'alert')),
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  title text not null,
  tokens int not null,
  comment text not null,
  -- Null if the sender is anonymous.
  sender_name text,
  tries int not null default 1 check (tries > 0),
  done_at timestamptz,
  at timestamptz not null,
  -- The show in which the tip was given; null for the room. The effect is shown only in that show's chat.
  show_chat text,
  primary key (operator_id, id),
  unique (operator_id, source, kind),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index effects_list on tips.effects (operator_id, performer_id, id desc);
create index effects_old on tips.effects (operator_id, performer_id, at);
select platform.own_table('tips.effects');

-- Read-only addresses of overlays, as digests of their tokens.
create table tips.overlays (
  operator_id bigint not null,
  performer_id bigint not null,
  digest text not null,
  made_at timestamptz not null,
  primary key (operator_id, performer_id),
  unique (operator_id, digest),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('tips.overlays');

-- How much the operator lets a person tip in a day; without a row there is no limit.
create table tips.rules (
  operator_id bigint not null,
  daily_limit int check (daily_limit > 0),
  changed_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('tips.rules');

-- Tips allowed on a day with a limit, by operation. Written before the ledger posts, so that two concurrent
-- tips cannot both use the last of it.
create table tips.allowed (
  operator_id bigint not null,
  tip_id uuid not null,
  sender_id bigint not null,
  day date not null,
  tokens int not null check (tokens > 0),
  primary key (operator_id, tip_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id)
);
create index allowed_day on tips.allowed (operator_id, sender_id, day);
select platform.own_table('tips.allowed');
