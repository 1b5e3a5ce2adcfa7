-- Buying: what is sold, orders, what billers said of them, saved cards and what follows from purchases.
-- Tokens and money themselves are the ledger's. Nothing here ever holds the number of a card.
create schema billing;

-- What an operator decided; only what differs from the defaults in rules.ts.
create table billing.settings (
  operator_id bigint not null,
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
  -- What it sells, in its order; null for the default catalogue.
  products jsonb check (jsonb_typeof(products) = 'array'),
  primary key (operator_id)
);

-- One row per person who ever wanted to buy. It is locked while something is decided about their purchases,
-- so that two at once count one after the other.
create table billing.buyers (
  operator_id bigint not null,
  person_id bigint not null,
  first_paid_at timestamptz,
  -- Spins of the vault wheel that purchases brought, and the day of the last free spin (UTC).
  vault_spins int not null default 0 check (vault_spins >= 0),
  free_spin_day date,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

create table billing.cards (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  biller text not null,
  -- The biller's name for the card.
  token text not null,
  brand text not null,
  first6 text check (first6 ~ '^\d{6}$'),
  last4 text not null check (last4 ~ '^\d{4}$'),
  expiry text check (expiry ~ '^\d{2}/\d{2}$'),
  is_default boolean not null default false,
  created_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, biller, token),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create unique index cards_default on billing.cards (operator_id, person_id) where is_default;
create index cards_of_person on billing.cards (operator_id, person_id, id);

create table billing.orders (
  operator_id bigint not null,
  -- Ours, known to the biller. A renewal or a voucher paid again is an order of its own.
  id uuid not null,
  -- Place in the list of purchases.
  nr bigint generated always as identity,
  person_id bigint not null,
  site_id bigint not null,
  parent_id uuid,
  purpose text not null check (purpose in ('page', 'one_click', 're_up', 'post_pay', 'renewal', 'repaid')),
  -- What the same id was asked for: another hash with it is a mistake.
  parameter_hash text not null,
  internal_id text not null,
  tokens int not null check (tokens >= 0),
  free_tokens int not null check (free_tokens >= 0),
  membership text,
  membership_days int check ((membership is null) = (membership_days is null)),
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null,
  -- The amount in US cents at the rate of the day of the order.
  us_cents bigint not null check (us_cents >= 0),
  renews boolean not null default false,
  biller text not null,
  descriptor text not null,
  method text not null check (method in ('card', 'paypal', 'crypto', 'voucher')),
  card_id bigint,
  card_brand text,
  card_last4 text,
  locale text not null,
  -- Balance below which a paid order turns on re-ups; null when it was not asked for.
  re_up_threshold int,
  -- Where it stands by our own knowledge, and with what billers said.
  base text not null check (base in ('created', 'pending', 'unknown', 'expired', 'declined')),
  state text not null check (state in
    ('created', 'pending', 'unknown', 'paid', 'declined', 'expired', 'refunded', 'charged_back')),
  decline text,
  -- The biller's transaction that paid it, and what renews.
  reference text,
  subscription text,
  -- Its operation in the ledger; null for what moved no tokens.
  operation uuid,
  -- How often the biller was asked what became of it, and when last.
  asked int not null default 0,
  asked_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  paid_at timestamptz,
  refunded_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, nr),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, parent_id) references billing.orders (operator_id, id)
);
create index orders_of_person on billing.orders (operator_id, person_id, nr);
create index orders_of_day on billing.orders (operator_id, person_id, created_at);
create index orders_open on billing.orders (operator_id, created_at) where state in ('unknown', 'pending');
create index orders_reference on billing.orders (operator_id, biller, reference);
create index orders_subscription on billing.orders (operator_id, biller, subscription);

-- What came in from outside, stored before anything reads it. Anything that reads as the number of a card is
-- dots already when it gets here; personal fields are hidden from whoever looks.
create table billing.callbacks (
  operator_id bigint not null,
  id bigint generated always as identity,
  biller text not null,
  method text not null,
  query text not null,
  headers jsonb not null,
  body text not null,
  address text not null,
  at timestamptz not null,
  -- `unread` until it is known what became of it.
  outcome text not null default 'unread',
  primary key (operator_id, id)
);
create index callbacks_outcome on billing.callbacks (operator_id, outcome, at);

-- What billers said happened, each once, whatever carried it here.
create table billing.events (
  operator_id bigint not null,
  biller text not null,
  id text not null,
  order_id uuid,
  type text not null,
  reference text not null,
  of_reference text,
  subscription text,
  amount_minor bigint,
  currency text,
  decline text,
  -- When it happened by the biller, else when we heard of it.
  happened_at timestamptz not null,
  heard_at timestamptz not null,
  callback_id bigint,
  -- What became of it: applied, or why not.
  outcome text not null,
  primary key (operator_id, biller, id),
  foreign key (operator_id, order_id) references billing.orders (operator_id, id)
);
create index events_of_order on billing.events (operator_id, order_id);
create index events_reference on billing.events (operator_id, biller, reference);
create index events_callback on billing.events (operator_id, callback_id);
create index events_stuck on billing.events (operator_id, outcome, heard_at)
  where outcome in ('mismatched', 'waiting', 'order_unknown');

create table billing.memberships (
  operator_id bigint not null,
  -- The order that began it, and renews.
  order_id uuid not null,
  person_id bigint not null,
  membership text not null,
  ends_at timestamptz not null,
  renews boolean not null,
  price_minor bigint not null,
  currency text not null,
  primary key (operator_id, order_id),
  foreign key (operator_id, order_id) references billing.orders (operator_id, id)
);
create index memberships_of_person on billing.memberships (operator_id, person_id, ends_at);

create table billing.re_ups (
  operator_id bigint not null,
  person_id bigint not null,
  enabled boolean not null,
  threshold int not null check (threshold between 0 and 100000),
  internal_id text not null,
  card_id bigint,
  per_day int not null check (per_day between 1 and 10),
  in_flight uuid,
  failures int not null default 0,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, card_id) references billing.cards (operator_id, id)
);

create table billing.post_pay (
  operator_id bigint not null,
  person_id bigint not null,
  enabled boolean not null,
  card_failed boolean not null default false,
  card_id bigint,
  next_charge_at timestamptz,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, card_id) references billing.cards (operator_id, id)
);

create table billing.promo_codes (
  operator_id bigint not null,
  code text not null check (code = upper(code)),
  tokens int not null check (tokens > 0),
  starts_at timestamptz not null,
  ends_at timestamptz,
  max_uses int check (max_uses > 0),
  uses int not null default 0 check (max_uses is null or uses <= max_uses),
  primary key (operator_id, code)
);
create table billing.redemptions (
  operator_id bigint not null,
  code text not null,
  person_id bigint not null,
  at timestamptz not null,
  primary key (operator_id, code, person_id),
  foreign key (operator_id, code) references billing.promo_codes (operator_id, code),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

create table billing.spins (
  operator_id bigint not null,
  -- The operation that gave the prize.
  id uuid not null,
  person_id bigint not null,
  prize int not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

select platform.own_table('billing.settings', 'select', 'insert', 'update');
select platform.own_table('billing.buyers', 'select', 'insert', 'update');
select platform.own_table('billing.cards');
select platform.own_table('billing.orders', 'select', 'insert', 'update');
select platform.own_table('billing.callbacks', 'select', 'insert', 'update');
select platform.own_table('billing.events', 'select', 'insert', 'update');
select platform.own_table('billing.memberships', 'select', 'insert', 'update');
select platform.own_table('billing.re_ups', 'select', 'insert', 'update');
select platform.own_table('billing.post_pay', 'select', 'insert', 'update');
select platform.own_table('billing.promo_codes', 'select', 'insert', 'update');
select platform.own_table('billing.redemptions', 'select', 'insert');
select platform.own_table('billing.spins', 'select', 'insert');
