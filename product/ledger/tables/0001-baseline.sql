-- Tokens and money in double entry. Only functions of this schema write here; the application role may read,
-- and call ledger.post.
create schema ledger;

-- Balances of people, which authorize spending. The operator's own accounts have no stored balance, because
-- every tip would wait for that row; theirs is the sum of their postings. Updates of balances touch no index
-- and find room on their page.
create table ledger.accounts (
  operator_id bigint not null,
  person_id bigint not null,
  -- Compared by bytes: the rules of a language would cost a call at each step down an index, for nothing.
  account text collate "C" not null
    check (account in ('tokens', 'earnings', 'held', 'debt')),
  -- A debt is never above zero, any other balance never below.
  balance bigint not null default 0
    constraint accounts_balance_check
      check (case when account = 'debt' then balance <= 0 else balance >= 0 end),
  primary key (operator_id, person_id, account),
  foreign key (operator_id, person_id) references accounts.people
) with (fillfactor = 50);
select platform.own_table('ledger.accounts', 'select');

-- One row per operation that happened. Its operation id is unique for ever.
create table ledger.journal (
  operator_id bigint not null,
  id bigint generated always as identity,
  operation uuid not null,
  kind text not null,
  parameter_hash text not null,
  memo jsonb not null,
  at timestamptz not null,
  -- Names and payloads of the facts published with the entry.
  facts jsonb not null default '[]',
  -- 1 counts against the payer's budget, -1 returns what was counted, 0 does neither.
  spending smallint not null default 0 check (spending in (-1, 0, 1)),
  -- The entry that caused this one. Only the ledger itself makes such entries.
  cause_id bigint,
  primary key (operator_id, id),
  unique (operator_id, operation),
  foreign key (operator_id, cause_id) references ledger.journal (operator_id, id)
);
-- Entries are nearly in order of time, so block ranges find a day at almost no cost.
create index journal_at on ledger.journal using brin (at) with (pages_per_range = 16, autosummarize = on);
-- Tokens set aside for a show, by its performer's name: an erasure finds them by nothing else.
create index journal_of_shows on ledger.journal (operator_id, lower(memo ->> 'to')) where memo ? 'show';
select platform.own_table('ledger.journal', 'select');

-- Legs of an entry, which sum to zero. `person_id` is null for the operator's own accounts. Postings and
-- draws have no foreign keys: only functions of this schema write them, always with their entry, and each
-- check cost a fifth of a batch. `ledger.faults` finds rows without an entry.
create table ledger.postings (
  operator_id bigint not null,
  id bigint generated always as identity,
  journal_id bigint not null,
  person_id bigint,
  account text collate "C" not null
    constraint postings_account_check
      check (person_id is not null or account in ('fees', 'grants', 'promo', 'float', 'losses')),
  tokens bigint not null check (tokens <> 0),
  -- Balance after the posting; null for the operator's own accounts.
  balance bigint
    constraint postings_balance_check
      check (case when account = 'debt' then balance <= 0 else balance >= 0 end),
  check ((person_id is null) = (balance is null))
);
-- An account has one leg per operation, because several could cancel each other out unseen.
create unique index postings_of_operation on ledger.postings (operator_id, journal_id, person_id, account)
  nulls not distinct;
create index postings_of_account on ledger.postings (operator_id, person_id, account, id);
select platform.own_table('ledger.postings', 'select');

-- Origin of a person's spendable tokens. A person's open lots sum to their balance of `tokens`.
create table ledger.lots (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  journal_id bigint not null,
  -- Given, not bought. Promotional tokens are spent first.
  promotional boolean not null,
  -- Money received for the whole lot, in US cents; 0 for a grant.
  backing_cents bigint not null check (backing_cents >= 0),
  tokens bigint not null check (tokens > 0),
  tokens_left bigint not null check (tokens_left between 0 and tokens),
  -- Marketing expense booked, and debt of the person, for the lot's tokens, in US cents.
  marketing_cents bigint not null default 0 check (marketing_cents >= 0),
  receivable_cents bigint not null default 0 check (receivable_cents >= 0),
  -- The index of open lots changes only when a lot is used up, because updates that touch no index are cheap.
  is_open boolean generated always as (tokens_left > 0) stored,
  primary key (operator_id, id),
  foreign key (operator_id, journal_id) references ledger.journal,
  check (not promotional or backing_cents = 0)
) with (fillfactor = 70);
create index lots_of_entry on ledger.lots (operator_id, journal_id);
create index lots_open on ledger.lots (operator_id, person_id, promotional desc, id) where is_open;
select platform.own_table('ledger.lots', 'select');

-- Lots that an operation spent. Below zero, the lot got tokens back from a released hold or a refund.
create table ledger.draws (
  operator_id bigint not null,
  journal_id bigint not null,
  lot_id bigint not null,
  tokens bigint not null
    check (tokens <> 0),
  primary key (operator_id, journal_id, lot_id)
);
select platform.own_table('ledger.draws', 'select');

-- Development grants that a person took on a UTC day.
create table ledger.demo_grants (
  operator_id bigint not null,
  person_id bigint not null,
  day date not null,
  taken int not null,
  primary key (operator_id, person_id, day)
);
select platform.own_table('ledger.demo_grants', 'select', 'insert', 'update');

-- The money side of entries, in minor units. Sums to zero per entry and currency.
create table ledger.money_postings (
  operator_id bigint not null,
  id bigint generated always as identity,
  journal_id bigint not null,
  account text not null check (
    account ~ '^(biller:[a-z0-9-]{1,32}|sales|refunds|chargebacks|suspense|receivables|bank)$'),
  currency text not null check (currency ~ '^[A-Z0-9]{3,8}$'),
  minor bigint not null check (minor <> 0),
  primary key (operator_id, id),
  unique (operator_id, journal_id, account, currency),
  foreign key (operator_id, journal_id) references ledger.journal
);
create index money_of_account on ledger.money_postings (operator_id, account, currency, id);
select platform.own_table('ledger.money_postings', 'select');

-- Backing of the tokens that an entry issued or reversed, in US cents: money received, marketing booked.
create table ledger.coverage (
  operator_id bigint not null,
  journal_id bigint not null,
  cash_cents bigint not null,
  marketing_cents bigint not null,
  primary key (operator_id, journal_id),
  foreign key (operator_id, journal_id) references ledger.journal
);
select platform.own_table('ledger.coverage', 'select');

-- What a token pays out, and how much marketing an operator books at most. Defaults apply without a row.
create table ledger.settings (
  operator_id bigint not null,
  payout_cents int not null default 5 check (payout_cents between 0 and 1000),
  marketing_cap_cents bigint not null default 10000000 check (marketing_cap_cents >= 0),
  -- The most that a performer earns from promotional tokens on a UTC day, in US cents. It limits what
  -- accounts that collect free tokens can pay out by tipping one performer.
  performer_cap_cents bigint not null default 5000 check (performer_cap_cents >= 0),
  primary key (operator_id)
);
select platform.own_table('ledger.settings', 'select');

create table ledger.marketing (
  operator_id bigint not null,
  booked_cents bigint not null check (booked_cents >= 0),
  primary key (operator_id)
);
select platform.own_table('ledger.marketing', 'select');

-- Spending restrictions of a person, and their credit limit.
create table ledger.standings (
  operator_id bigint not null,
  person_id bigint not null,
  cooling_off_until timestamptz,
  self_excluded_until timestamptz,
  blocked_cause text check (blocked_cause in ('staff', 'chargeback')),
  blocked_reason text,
  blocked_at timestamptz,
  credit_tokens bigint not null default 0 check (credit_tokens >= 0),
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people,
  check ((blocked_cause is null) = (blocked_at is null))
);
select platform.own_table('ledger.standings', 'select');

-- Spending limits of people who set one, now or before. An increase waits in `next_tokens`; null is no limit.
create table ledger.budgets (
  operator_id bigint not null,
  person_id bigint not null,
  period text not null check (period in ('day', 'week', 'month')),
  tokens bigint check (tokens > 0),
  next_tokens bigint check (next_tokens > 0),
  next_at timestamptz,
  -- Start of the current period, and what was spent in it.
  starts timestamptz not null,
  spent bigint not null check (spent >= 0),
  primary key (operator_id, person_id, period),
  foreign key (operator_id, person_id) references accounts.people
);
select platform.own_table('ledger.budgets', 'select');

-- Tokens on hold, by the operation that held them.
create table ledger.holds (
  operator_id bigint not null,
  operation uuid not null,
  journal_id bigint not null,
  person_id bigint not null,
  tokens bigint not null check (tokens > 0),
  tokens_left bigint not null check (tokens_left between 0 and tokens),
  expires_at timestamptz not null,
  closed_at timestamptz,
  primary key (operator_id, operation),
  foreign key (operator_id, journal_id) references ledger.journal,
  foreign key (operator_id, person_id) references accounts.people,
  check (closed_at is null or tokens_left = 0)
);
create index holds_open on ledger.holds (operator_id, expires_at) where closed_at is null;
create index holds_of_entry on ledger.holds (operator_id, journal_id);
select platform.own_table('ledger.holds', 'select');

-- Lots drawn by a hold that a settlement has spent for good.
create table ledger.hold_draws (
  operator_id bigint not null,
  journal_id bigint not null,
  hold_journal_id bigint not null,
  lot_id bigint not null,
  tokens bigint not null check (tokens > 0),
  primary key (operator_id, journal_id, lot_id),
  foreign key (operator_id, journal_id) references ledger.journal,
  foreign key (operator_id, hold_journal_id) references ledger.journal,
  foreign key (operator_id, lot_id) references ledger.lots
);
create index hold_draws_of_hold on ledger.hold_draws (operator_id, hold_journal_id);
select platform.own_table('ledger.hold_draws', 'select');

-- Reversals of entries, with the entry that reversed them.
create table ledger.reversals (
  operator_id bigint not null,
  reversed_id bigint not null,
  journal_id bigint not null,
  mode text not null check (mode in ('refund', 'chargeback')),
  -- Tokens of the issued ones that a partial reversal took; null for a reversal of the whole. Parts of an
  -- entry are reversed one after the other under a lock of its accounts; the whole only once.
  part_tokens bigint check (part_tokens >= 0),
  foreign key (operator_id, reversed_id) references ledger.journal,
  foreign key (operator_id, journal_id) references ledger.journal,
  primary key (operator_id, journal_id)
);
create index reversals_of_entry on ledger.reversals (operator_id, reversed_id);
create unique index reversals_whole on ledger.reversals (operator_id, reversed_id) where part_tokens is null;
select platform.own_table('ledger.reversals', 'select');

-- How a performer's earnings are divided from a time on: [{person, percent}]. Person null is the operator.
create table ledger.splits (
  operator_id bigint not null,
  performer_id bigint not null,
  starts timestamptz not null,
  shares jsonb not null,
  primary key (operator_id, performer_id, starts),
  foreign key (operator_id, performer_id) references accounts.people
);
select platform.own_table('ledger.splits', 'select');

-- One SHA-256 over a day's journal, chained to the previous day's.
create table ledger.seals (
  operator_id bigint not null,
  day date not null,
  entries bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  -- Form 1 hashes memos and facts, form 2 their digests.
  form smallint not null default 1 check (form in (1, 2)),
  primary key (operator_id, day)
);
select platform.own_table('ledger.seals', 'select');

-- Promotional tokens that an entry paid to a person's earnings, on the day they were spent. A reversal
-- deducts them from that day.
create table ledger.promotional_earnings (
  operator_id bigint not null,
  person_id bigint not null,
  day date not null,
  journal_id bigint not null,
  tokens bigint not null check (tokens <> 0),
  primary key (operator_id, person_id, day, journal_id),
  foreign key (operator_id, journal_id) references ledger.journal
);
create index promotional_earnings_of_entry on ledger.promotional_earnings (operator_id, journal_id);
select platform.own_table('ledger.promotional_earnings', 'select');

-- Digests of what an entry contained before an erasure, so that its seal can still be verified. One row per
-- erased person.
create table ledger.redactions (
  operator_id bigint not null,
  journal_id bigint not null,
  person_id bigint not null,
  memo_digest bytea not null,
  facts_digest bytea not null,
  at timestamptz not null,
  primary key (operator_id, journal_id, person_id),
  foreign key (operator_id, journal_id) references ledger.journal
);
select platform.own_table('ledger.redactions', 'select');

-- Seals of form 1 that were verified and replaced before an entry of their day was redacted.
create table ledger.reseals (
  operator_id bigint not null,
  day date not null,
  entries bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  primary key (operator_id, day),
  foreign key (operator_id, day) references ledger.seals
);
select platform.own_table('ledger.reseals', 'select');
