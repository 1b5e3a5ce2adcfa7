create schema fanclubs;

-- The club of a performer, once it was saved.
create table fanclubs.clubs (
  operator_id bigint not null,
  performer_id bigint not null,
  enabled boolean not null,
  description text not null,
  price_supporter int not null check (price_supporter > 0),
  price_insider int not null check (price_insider > price_supporter),
  price_legend int not null check (price_legend > price_insider),
  -- Lines by level.
  perks jsonb not null,
  saved_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- One row a member and club; joining again writes the same row.
create table fanclubs.memberships (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  member_id bigint not null,
  level text not null check (level in ('supporter', 'insider', 'legend')),
  -- Tokens a month that the member agreed to, and what the running month cost.
  price int not null check (price > 0),
  paid int not null check (paid > 0),
  paid_from timestamptz not null,
  paid_until timestamptz not null,
  renews boolean not null,
  next_level text check (next_level in ('supporter', 'insider', 'legend')),
  -- Payments so far: names the operation of the next renewal, so that it is charged once.
  payments int not null check (payments > 0),
  -- Without a break.
  since timestamptz not null,
  ended_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, performer_id, member_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, member_id) references accounts.people (operator_id, id),
  check (performer_id <> member_id),
  check (paid_until > paid_from)
);
create index memberships_of_member on fanclubs.memberships (operator_id, member_id, id desc);
create index memberships_of_performer on fanclubs.memberships (operator_id, performer_id, id desc);

-- What was paid for a membership, by its operation in the ledger: a payment that is sent again finds itself.
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

-- Performers who have seen the announcement of fan clubs.
create table fanclubs.announcements (
  operator_id bigint not null,
  person_id bigint not null,
  seen_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

select platform.own_table('fanclubs.clubs', 'select', 'insert', 'update', 'delete');
select platform.own_table('fanclubs.memberships', 'select', 'insert', 'update', 'delete');
select platform.own_table('fanclubs.announcements', 'select', 'insert', 'delete');
select platform.own_table('fanclubs.dues', 'select', 'insert', 'delete');
