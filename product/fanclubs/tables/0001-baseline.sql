create schema fanclubs;

-- A performer's club, from the first time it is saved.
create table fanclubs.clubs (
  operator_id bigint not null,
  performer_id bigint not null,
  enabled boolean not null,
  description text not null,
  price_supporter int not null check (price_supporter > 0),
  price_insider int not null check (price_insider > price_supporter),
  price_legend int not null check (price_legend > price_insider),
  -- Lines of text by level.
  perks jsonb not null,
  saved_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('fanclubs.clubs');

-- One row per member and club. Joining again updates it.
create table fanclubs.memberships (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  member_id bigint not null,
  level text not null check (level in ('supporter', 'insider', 'legend')),
  -- Tokens a month that the member agreed to, and the price of the current month.
  price int not null check (price > 0),
  paid int not null check (paid > 0),
  paid_from timestamptz not null,
  paid_until timestamptz not null,
  renews boolean not null,
  next_level text check (next_level in ('supporter', 'insider', 'legend')),
  -- Number of payments so far. It is part of the next renewal's operation id, so that a renewal is charged
  -- once.
  payments int not null check (payments > 0),
  -- Start of the uninterrupted membership.
  since timestamptz not null,
  ended_at timestamptz,
  -- Tokens a month that the member agreed to for next_level; null without a next level, and for older plans.
  next_price int check (next_price > 0),
  primary key (operator_id, id),
  unique (operator_id, performer_id, member_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, member_id) references accounts.people (operator_id, id),
  check (performer_id <> member_id),
  check (paid_until > paid_from)
);
create index memberships_of_member on fanclubs.memberships (operator_id, member_id, id desc);
create index memberships_of_performer on fanclubs.memberships (operator_id, performer_id, id desc);
select platform.own_table('fanclubs.memberships');

-- Payments for memberships, by operation in the ledger, so that a repeated request finds its payment.
create table fanclubs.dues (
  operator_id bigint not null,
  operation uuid not null,
  performer_id bigint not null,
  member_id bigint not null,
  kind text not null check (kind in ('join', 'upgrade', 'renewal')),
  level text not null check (level in ('supporter', 'insider', 'legend')),
  tokens int not null check (tokens > 0),
  paid_at timestamptz not null,
  primary key (operator_id, operation),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, member_id) references accounts.people (operator_id, id)
);
create index dues_of_member on fanclubs.dues (operator_id, member_id, paid_at);
select platform.own_table('fanclubs.dues', 'select', 'insert', 'delete');

-- Performers who have seen the announcement of fan clubs.
create table fanclubs.announcements (
  operator_id bigint not null,
  person_id bigint not null,
  seen_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('fanclubs.announcements', 'select', 'insert', 'delete');

-- Posts of fan clubs.
create table fanclubs.posts (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- The clearance that was valid when the post, or its picture, was published.
  clearance_id bigint not null,
  audience text not null check (audience in ('everyone', 'supporter', 'insider', 'legend')),
  body text not null check (body <> '' and length(body) <= 2000),
  is_pinned boolean not null default false,
  created_at timestamptz not null,
  changed_at timestamptz,
  -- Grows with each change and identifies the job that notifies members of it.
  revision int not null default 1,
  -- Picture: the key in its address, and the id of its blob, which no other picture shares.
  picture_key text check (picture_key ~ '^[A-Za-z0-9_-]{22}$'),
  picture_blob text,
  picture_width int check (picture_width > 0),
  picture_height int check (picture_height > 0),
  primary key (operator_id, id),
  unique (operator_id, picture_key),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id),
  check (num_nulls(picture_key, picture_blob, picture_width, picture_height) in (0, 4))
);
create index posts_of_performer on fanclubs.posts (operator_id, performer_id, id desc);
create unique index posts_pinned on fanclubs.posts (operator_id, performer_id) where is_pinned;
select platform.own_table('fanclubs.posts');
