-- Every tip once, as the ledger announced it: what histories show, and what counts towards goals.
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
  -- What was ordered, as it was called then.
  title text,
  -- The receiver is not told who it was.
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
insert into tips.tips (operator_id, tip_id, sender_id, receiver_id, tokens, comment, type, vr, app_data,
    is_anonymous, at)
  select operator_id, tip_id, sender_id, receiver_id, tokens, '', 'tip', false, '{}', false, at
  from tips.recent order by at;

-- What shows beside a name leaves anonymous tips out.
alter table tips.recent add column is_anonymous boolean not null default false;

-- Items never change: another title or price is another item, and the old one ends.
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

-- Goals in their order: the first that is not over runs, and it alone has progress.
create table tips.goals (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  title text not null check (length(title) between 1 and 60),
  target int not null check (target > 0),
  progress int not null default 0 check (progress between 0 and target),
  made_at timestamptz not null,
  reached_at timestamptz,
  -- Reached, or taken back.
  ended_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (reached_at is null or (ended_at is not null and progress = target))
);
create index goals_open on tips.goals (operator_id, performer_id, id) where ended_at is null;

-- One split per performer: the last one.
create table tips.splits (
  operator_id bigint not null,
  performer_id bigint not null,
  -- Another one for each split; operations of the ledger are named after it.
  split_id uuid not null,
  -- Null for the performer herself.
  proposer_id bigint,
  total int not null check (total > 0),
  people int not null check (people between 2 and 20),
  mode text not null check (mode in ('available', 'proposed', 'canceled', 'success')),
  reason text check (reason in ('timeout', 'withdrawn', 'unpaid', 'private')),
  started_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, proposer_id) references accounts.people (operator_id, id),
  check ((mode = 'canceled') = (reason is not null))
);
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

-- What tips set off, and how far it got.
create table tips.effects (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- What set it off, so that it is made once: a tip, a goal or a split.
  source text not null,
  kind text not null check (kind in ('order', 'goal', 'split', 'alert')),
  state text not null check (state in ('waiting', 'delivered', 'failed')),
  title text not null,
  tokens int not null,
  comment text not null,
  -- Null where nobody is to know.
  sender_name text,
  tries int not null default 1 check (tries > 0),
  done_at timestamptz,
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, source, kind),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index effects_list on tips.effects (operator_id, performer_id, id desc);
create index effects_old on tips.effects (operator_id, performer_id, at);

-- Read-only addresses of overlays: only digests of their tokens.
create table tips.overlays (
  operator_id bigint not null,
  performer_id bigint not null,
  digest text not null,
  made_at timestamptz not null,
  primary key (operator_id, performer_id),
  unique (operator_id, digest),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- What the operator lets one person tip in a day; without a row, as much as they have.
create table tips.rules (
  operator_id bigint not null,
  daily_limit int check (daily_limit > 0),
  changed_at timestamptz not null,
  primary key (operator_id)
);
-- Tips that were let through on a day with a limit, by operation: written before the ledger posts, so that
-- two at once cannot both be the last.
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

select platform.own_table('tips.tips', 'select', 'insert');
select platform.own_table('tips.menu_items');
select platform.own_table('tips.goals');
select platform.own_table('tips.splits');
select platform.own_table('tips.splitters');
select platform.own_table('tips.effects');
select platform.own_table('tips.overlays');
select platform.own_table('tips.rules');
select platform.own_table('tips.allowed');
