-- Money that cannot get lost: held tokens and debts, the book of money, what covers every token, spending
-- limits, holds, reversals, splits and seals. Only the functions of this schema write any of it.

alter table ledger.accounts
  drop constraint accounts_account_check, drop constraint accounts_balance_check,
  add constraint accounts_account_check check (account in ('tokens', 'earnings', 'held', 'debt')),
  -- A debt is what somebody owes: never above zero. Everything else is theirs: never below it.
  add constraint accounts_balance_check
    check (case when account = 'debt' then balance <= 0 else balance >= 0 end);

alter table ledger.postings
  drop constraint postings_balance_check, drop constraint postings_check1,
  add constraint postings_balance_check
    check (case when account = 'debt' then balance <= 0 else balance >= 0 end),
  add constraint postings_account_check
    check (person_id is not null or account in ('fees', 'grants', 'promo', 'float', 'losses'));

alter table ledger.journal
  -- Names and payloads of what was announced with it.
  add column facts jsonb not null default '[]',
  -- 1 counts against the budget of who paid, -1 gives back what was counted, 0 is neither. What there is so
  -- far are tips, and grants that pay nothing.
  add column spending smallint not null default 1 check (spending in (-1, 0, 1)),
  -- The entry that made this one necessary; only the ledger itself makes such entries.
  add column cause_id bigint,
  add foreign key (operator_id, cause_id) references ledger.journal (operator_id, id);
alter table ledger.journal alter column spending set default 0;
-- Entries come in the order of time but for seconds: ranges of blocks find a day, and cost next to nothing.
create index journal_at on ledger.journal using brin (at) with (pages_per_range = 16, autosummarize = on);

alter table ledger.lots
  -- What was booked as marketing, and what a person owes, for the tokens of the lot, in US cents.
  add column marketing_cents bigint not null default 0 check (marketing_cents >= 0),
  add column receivable_cents bigint not null default 0 check (receivable_cents >= 0);
create index lots_of_entry on ledger.lots (operator_id, journal_id);
-- Below zero: the lot got tokens back, from a hold that was released or from a refund.
alter table ledger.draws
  drop constraint draws_tokens_check, add constraint draws_tokens_check check (tokens <> 0);

-- The book of money: minor units, zero for each entry and currency.
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

-- What covers the tokens an entry issued or took back, in US cents: money received, marketing booked.
create table ledger.coverage (
  operator_id bigint not null,
  journal_id bigint not null,
  cash_cents bigint not null,
  marketing_cents bigint not null,
  primary key (operator_id, journal_id),
  foreign key (operator_id, journal_id) references ledger.journal
);

-- What a token pays out, and how much marketing the operator books at most; without a row the defaults hold.
create table ledger.settings (
  operator_id bigint not null,
  payout_cents int not null default 5 check (payout_cents between 0 and 1000),
  marketing_cap_cents bigint not null default 10000000 check (marketing_cap_cents >= 0),
  primary key (operator_id)
);
create table ledger.marketing (
  operator_id bigint not null,
  booked_cents bigint not null check (booked_cents >= 0),
  primary key (operator_id)
);

-- What closes spending to a person, and what they may owe.
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

-- Budgets, only of those who have or had one. A higher one waits in `next_tokens`; null is none.
create table ledger.budgets (
  operator_id bigint not null,
  person_id bigint not null,
  period text not null check (period in ('day', 'week', 'month')),
  tokens bigint check (tokens > 0),
  next_tokens bigint check (next_tokens > 0),
  next_at timestamptz,
  -- What was spent in the period that began then.
  starts timestamptz not null,
  spent bigint not null check (spent >= 0),
  primary key (operator_id, person_id, period),
  foreign key (operator_id, person_id) references accounts.people
);

-- Tokens kept aside, by the operation that did it.
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

-- Which of the lots a hold had drawn a settlement spent for good.
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

-- What was taken back, once each, and by which entry.
create table ledger.reversals (
  operator_id bigint not null,
  reversed_id bigint not null,
  journal_id bigint not null,
  mode text not null check (mode in ('refund', 'chargeback')),
  primary key (operator_id, reversed_id),
  unique (operator_id, journal_id),
  foreign key (operator_id, reversed_id) references ledger.journal,
  foreign key (operator_id, journal_id) references ledger.journal
);

-- How a performer's earnings are divided from a time on: [{person, percent}], person null for the operator.
create table ledger.splits (
  operator_id bigint not null,
  performer_id bigint not null,
  starts timestamptz not null,
  shares jsonb not null,
  primary key (operator_id, performer_id, starts),
  foreign key (operator_id, performer_id) references accounts.people
);

-- A day's journal in one SHA-256 that stands on the day before's.
create table ledger.seals (
  operator_id bigint not null,
  day date not null,
  entries bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  primary key (operator_id, day)
);

select platform.own_table('ledger.money_postings', 'select');
select platform.own_table('ledger.coverage', 'select');
select platform.own_table('ledger.settings', 'select');
select platform.own_table('ledger.marketing', 'select');
select platform.own_table('ledger.standings', 'select');
select platform.own_table('ledger.budgets', 'select');
select platform.own_table('ledger.holds', 'select');
select platform.own_table('ledger.hold_draws', 'select');
select platform.own_table('ledger.reversals', 'select');
select platform.own_table('ledger.splits', 'select');
select platform.own_table('ledger.seals', 'select');

create trigger append_only before update or delete or truncate on ledger.money_postings
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.coverage
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.hold_draws
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.reversals
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.seals
  for each statement execute function ledger.refuse_change();

create function ledger.check_money_zero_sum() returns trigger language plpgsql as $$
begin
  if exists (
    select from added group by operator_id, journal_id, currency having sum(minor) <> 0 or count(*) < 2
  ) then
    raise exception 'the money of an operation sums to zero in each currency';
  end if;
  return null;
end $$;
create trigger zero_sum after insert on ledger.money_postings referencing new table as added
  for each statement execute function ledger.check_money_zero_sum();

-- Tokens of before are covered like those to come: by their backing, the rest by marketing.
alter table ledger.lots no force row level security;
alter table ledger.coverage no force row level security;
alter table ledger.marketing no force row level security;
update ledger.lots set marketing_cents = greatest(0, tokens * 5 - backing_cents);
insert into ledger.coverage (operator_id, journal_id, cash_cents, marketing_cents)
  select operator_id, journal_id, sum(backing_cents), sum(marketing_cents)
  from ledger.lots group by operator_id, journal_id;
insert into ledger.marketing (operator_id, booked_cents)
  select operator_id, sum(marketing_cents) from ledger.lots group by operator_id;
alter table ledger.lots force row level security;
alter table ledger.coverage force row level security;
alter table ledger.marketing force row level security;
