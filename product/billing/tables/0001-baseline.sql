-- Buying: products, orders, billers' reports, saved cards and what follows from purchases. The ledger has
-- tokens and money. No card number is ever stored here.
create schema billing;

-- Settings of an operator; only those that differ from the defaults in rules.ts.
create table billing.settings (
  operator_id bigint not null,
  settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
  -- Products for sale, in order; null for the default catalog.
  products jsonb check (jsonb_typeof(products) = 'array'),
  primary key (operator_id)
);
select platform.own_table('billing.settings', 'select', 'insert', 'update');

-- One row per person who ever tried to buy. Locking it serializes decisions about their purchases.
create table billing.buyers (
  operator_id bigint not null,
  person_id bigint not null,
  first_paid_at timestamptz,
  -- Spins of the vault wheel earned by purchases, and the UTC day of the last free spin.
  vault_spins int not null default 0 check (vault_spins >= 0),
  free_spin_day date,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('billing.buyers', 'select', 'insert', 'update');

create table billing.cards (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  biller text not null,
  -- The biller's id of the card.
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
select platform.own_table('billing.cards');

create table billing.orders (
  operator_id bigint not null,
  -- Our id, which the biller knows. A renewal, or a voucher paid again, is a separate order.
  id uuid not null,
  -- Position in the list of purchases.
  nr bigint generated always as identity,
  person_id bigint not null,
  site_id bigint not null,
  parent_id uuid,
  purpose text not null check (purpose in ('page', 'one_click', 're_up', 'post_pay', 'renewal', 'repaid')),
  -- Hash of the request that created the order. The same id with another hash is a mistake.
  parameter_hash text not null,
  internal_id text not null,
  tokens int not null check (tokens >= 0),
  free_tokens int not null check (free_tokens >= 0),
  membership text,
  membership_days int check ((membership is null) = (membership_days is null)),
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null,
  -- The amount in US cents, at the rate on the day of the order.
  us_cents bigint not null check (us_cents >= 0),
  renews boolean not null default false,
  biller text not null,
  descriptor text not null,
  method text not null check (method in ('card', 'paypal', 'crypto', 'voucher')),
  card_id bigint,
  card_brand text,
  card_last4 text,
  locale text not null,
  -- Balance below which the paid order turns on auto re-up; null if not requested.
  re_up_threshold int,
  -- State by our own knowledge (`base`), and with the billers' reports applied (`state`).
  base text not null check (base in ('created', 'pending', 'unknown', 'expired', 'declined')),
  state text not null check (state in
    ('created', 'pending', 'unknown', 'paid', 'declined', 'expired', 'refunded', 'charged_back')),
  decline text,
  -- The biller's transaction that paid the order, and the subscription that renews it.
  reference text,
  subscription text,
  -- Operation in the ledger; null if no tokens moved.
  operation uuid,
  -- How often, and when last, the biller was asked for the outcome.
  asked int not null default 0,
  asked_at timestamptz,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  paid_at timestamptz,
  refunded_at timestamptz,
  -- Where a purchase came from and what it was made with, for attribution and fraud checks. Device and report
  -- are keyed digests: they can be compared, and nothing else.
  advert_id text check (length(advert_id) <= 64),
  device text check (length(device) <= 32),
  blackbox text check (length(blackbox) <= 32),
  -- Amount refunded so far, in minor units of the order's currency.
  refunded_minor bigint not null default 0
    check (refunded_minor between 0 and amount_minor),
  -- The seller as named on the day of payment: receipts do not change when a company does. Null for unpaid
  -- orders and for those paid before sellers were stored.
  seller jsonb check (jsonb_typeof(seller) = 'object'),
  -- Digest of the network from which the order was made: emails about it to an unconfirmed address count in
  -- that network's daily limit. Null if no person was present, and for older orders.
  network text check (length(network) <= 64),
  -- Whether the buyer asked to save the card. True for orders made before buyers were asked.
  keep_card boolean not null default false,
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
create index orders_device on billing.orders (operator_id, device) where device is not null;
create index orders_blackbox on billing.orders (operator_id, blackbox) where blackbox is not null;
select platform.own_table('billing.orders', 'select', 'insert', 'update');

-- Requests from billers, stored before they are read. Card numbers are masked before they get here; personal
-- fields are hidden from whoever reads this.
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
  -- `unread` until the outcome is known.
  outcome text not null default 'unread',
  primary key (operator_id, id)
);
create index callbacks_outcome on billing.callbacks (operator_id, outcome, at);
select platform.own_table('billing.callbacks', 'select', 'insert', 'update');

-- Events reported by billers, one row each, however often they are reported.
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
  -- Time of the event according to the biller, or else of its receipt.
  happened_at timestamptz not null,
  heard_at timestamptz not null,
  callback_id bigint,
  -- `applied`, or why it was not.
  outcome text not null,
  primary key (operator_id, biller, id),
  foreign key (operator_id, order_id) references billing.orders (operator_id, id)
);
create index events_of_order on billing.events (operator_id, order_id);
create index events_reference on billing.events (operator_id, biller, reference);
create index events_callback on billing.events (operator_id, callback_id);
create index events_stuck on billing.events (operator_id, outcome, heard_at)
  where outcome in ('mismatched', 'waiting', 'order_unknown');
-- Payments whose tokens wait for marketing budget: few rows, read by every view of billing's admin page.
create index events_over_cap on billing.events (operator_id, order_id) where outcome = 'over_cap';
select platform.own_table('billing.events', 'select', 'insert', 'update');

create table billing.memberships (
  operator_id bigint not null,
  -- The order that started the membership; renewals refer to it.
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
select platform.own_table('billing.memberships', 'select', 'insert', 'update');

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
  -- The offer that the person confirmed; null for older re-ups, which buy the product at its present terms.
  tokens int check (tokens >= 0),
  price_minor bigint check (price_minor >= 0),
  currency text,
  -- Whether the person turned re-ups off; failed charges turn them off too.
  disabled_by_user boolean not null default false,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, card_id) references billing.cards (operator_id, id)
);
select platform.own_table('billing.re_ups', 'select', 'insert', 'update');

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
select platform.own_table('billing.post_pay', 'select', 'insert', 'update');

create table billing.promo_codes (
  operator_id bigint not null,
  code text not null check (code = upper(code)),
  tokens int not null check (tokens > 0),
  starts_at timestamptz not null,
  ends_at timestamptz,
  max_uses int check (max_uses > 0),
  uses int not null default 0 check (max_uses is null or uses <= max_uses),
  -- Order of creation, by which the back office lists promo codes.
  nr bigint generated always as identity,
  primary key (operator_id, code),
  constraint promo_codes_nr unique (operator_id, nr)
);
select platform.own_table('billing.promo_codes', 'select', 'insert', 'update');

create table billing.redemptions (
  operator_id bigint not null,
  code text not null,
  person_id bigint not null,
  at timestamptz not null,
  primary key (operator_id, code, person_id),
  foreign key (operator_id, code) references billing.promo_codes (operator_id, code),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('billing.redemptions', 'select', 'insert');

create table billing.spins (
  operator_id bigint not null,
  -- Operation in the ledger that paid the prize.
  id uuid not null,
  person_id bigint not null,
  prize int not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('billing.spins', 'select', 'insert');

-- Callbacks that failed authentication: forged, unreadable, or signed with a key that the site does not have
-- yet. Anybody can send them, so they have a table of their own that holds few of them, briefly.
create table billing.unauthenticated_callbacks (
  operator_id bigint not null,
  id bigint generated always as identity,
  biller text not null,
  method text not null,
  query text not null,
  headers jsonb not null,
  body text not null,
  address text not null,
  -- The address, or its /64 for IPv6, by which rows are limited.
  address_key text not null,
  at timestamptz not null,
  primary key (operator_id, id)
);
create index unauthenticated_of_biller
  on billing.unauthenticated_callbacks (operator_id, biller, address_key, id);
select platform.own_table('billing.unauthenticated_callbacks', 'select', 'insert', 'delete');

-- Number of refused callbacks, one row per day, biller and reason.
create table billing.refused_callbacks (
  operator_id bigint not null,
  biller text not null,
  day date not null,
  -- `forged` or `unreadable`.
  reason text not null,
  count bigint not null,
  primary key (operator_id, biller, day, reason)
);
select platform.own_table('billing.refused_callbacks');

-- Free tokens promised at sign-up, on hold until the person confirms their email address.
create table billing.sign_up_gifts (
  operator_id bigint not null,
  person_id bigint not null,
  tokens integer not null check (tokens > 0),
  held_at timestamptz not null,
  -- Null while the tokens are on hold.
  given_at timestamptz,
  primary key (operator_id, person_id)
);
select platform.own_table('billing.sign_up_gifts');
