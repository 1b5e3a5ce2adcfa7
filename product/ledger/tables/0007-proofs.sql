-- What proves the books from their rows: sums, cover, clearing, seals, and any balance of the past.

-- What is wrong with the books, nothing when they are sound.
create function ledger.faults() returns table (fault text, subject text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with me as (select platform.operator_id() as id)
  select 'postings_not_zero', 'entry ' || p.journal_id from ledger.postings p, me
    where p.operator_id = me.id group by p.journal_id having sum(p.tokens) <> 0
  union all
  select 'money_not_zero', 'entry ' || m.journal_id || ' ' || m.currency from ledger.money_postings m, me
    where m.operator_id = me.id group by m.journal_id, m.currency having sum(m.minor) <> 0
  union all
  select 'balance_not_sum',
      'person ' || coalesce(a.person_id, p.person_id) || ' ' || coalesce(a.account, p.account)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id) a
    full join (select p.person_id, p.account, sum(p.tokens) as tokens from ledger.postings p, me
      where p.operator_id = me.id and p.person_id is not null group by p.person_id, p.account) p
      on p.person_id = a.person_id and p.account = a.account
    where coalesce(a.balance, -1) <> coalesce(p.tokens, 0)
  union all
  select 'lots_not_balance', 'person ' || coalesce(a.person_id, l.person_id)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id and a.account = 'tokens') a
    full join (select l.person_id, sum(l.tokens_left) as tokens from ledger.lots l, me
      where l.operator_id = me.id group by l.person_id) l on l.person_id = a.person_id
    where coalesce(a.balance, 0) <> coalesce(l.tokens, 0)
  union all
  select 'draws_not_lot', 'lot ' || coalesce(l.id, d.lot_id)
    from (select l.* from ledger.lots l, me where l.operator_id = me.id) l
    full join (select d.lot_id, sum(d.tokens) as tokens from ledger.draws d, me
      where d.operator_id = me.id group by d.lot_id) d on d.lot_id = l.id
    where l.id is null or l.tokens - l.tokens_left <> coalesce(d.tokens, 0)
  union all
  select 'holds_not_held', 'person ' || coalesce(a.person_id, h.person_id)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id and a.account = 'held') a
    full join (select h.person_id, sum(h.tokens_left) as tokens from ledger.holds h, me
      where h.operator_id = me.id group by h.person_id) h on h.person_id = a.person_id
    where coalesce(a.balance, 0) <> coalesce(h.tokens, 0)
  union all
  select 'belongs_to_nothing', 'entry ' || p.journal_id from (
      select p.operator_id, p.journal_id from ledger.postings p
      union select d.operator_id, d.journal_id from ledger.draws d) p
    join me on p.operator_id = me.id
    where not exists (select from ledger.journal j where j.operator_id = me.id and j.id = p.journal_id)
$$;

-- What every token that is out could be paid out for, and what covers it, in US cents. It is covered when
-- `outstanding` is not more than cash, marketing, receivables and losses together; `owed` is what is earned.
create function ledger.cover() returns table (
  owed_cents bigint, outstanding_cents bigint, cash_cents bigint, marketing_cents bigint,
  receivable_cents bigint, loss_cents bigint, marketing_cap_cents bigint
) language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(sums.earnings, 0)::bigint * s.payout_cents, coalesce(sums.out, 0)::bigint * s.payout_cents,
    coalesce(c.cash, 0)::bigint, coalesce(c.marketing, 0)::bigint,
    coalesce(-sums.debt, 0)::bigint * s.payout_cents, coalesce(-sums.losses, 0)::bigint * s.payout_cents,
    s.marketing_cap_cents
  from ledger.settings_of(platform.operator_id()) s
  cross join (
    select sum(p.tokens) filter (where p.account = 'earnings') as earnings,
      sum(p.tokens) filter (where p.account in ('tokens', 'earnings', 'held')) as out,
      sum(p.tokens) filter (where p.account = 'debt') as debt,
      sum(p.tokens) filter (where p.account = 'losses') as losses
    from ledger.postings p where p.operator_id = platform.operator_id()) sums
  cross join (
    select sum(c.cash_cents) as cash, sum(c.marketing_cents) as marketing
    from ledger.coverage c where c.operator_id = platform.operator_id()) c
$$;

-- Clearing accounts that did not come back to zero in their time: holds beyond their end, money in suspense
-- for more than three days; days that are not sealed a day after their end; tokens that nothing covers.
create function ledger.alarms(now timestamptz)
returns table (alarm text, subject text, detail text, since timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select 'hold_overdue', h.operation::text, h.tokens_left || ' tokens of person ' || h.person_id, h.expires_at
    from ledger.holds h
    where h.operator_id = platform.operator_id() and h.closed_at is null
      and h.expires_at < now - interval '10 minutes'
  union all
  select 'suspense_open', last.currency, last.balance::text, open.since
    from (
      select m.currency, sum(m.minor)::bigint as balance from ledger.money_postings m
      where m.operator_id = platform.operator_id() and m.account = 'suspense'
      group by m.currency having sum(m.minor) <> 0) last
    -- Open since the first entry after it was zero for the last time.
    cross join lateral (
      select min(j.at) as since from ledger.money_postings m
      join ledger.journal j on j.operator_id = m.operator_id and j.id = m.journal_id
      where m.operator_id = platform.operator_id() and m.account = 'suspense' and m.currency = last.currency
        and m.id > coalesce((
          select max(run.id) from (
            select z.id, sum(z.minor) over (order by z.id) as balance from ledger.money_postings z
            where z.operator_id = platform.operator_id() and z.account = 'suspense'
              and z.currency = last.currency) run where run.balance = 0), 0)) open
    where open.since < now - interval '3 days'
  union all
  select 'day_not_sealed', first.day::text, 'the journal of this day', first.day::timestamp at time zone 'UTC'
    from (
      select min((j.at at time zone 'UTC')::date) as day from ledger.journal j
      where j.operator_id = platform.operator_id() and j.at >= coalesce((
        select (max(s.day) + 1)::timestamp at time zone 'UTC' from ledger.seals s
        where s.operator_id = platform.operator_id()), '-infinity')) first
    where (first.day + 2)::timestamp at time zone 'UTC' < now
  union all
  select 'not_covered', 'tokens', c.outstanding_cents || ' cents outstanding', now from ledger.cover() c
    where c.outstanding_cents > c.cash_cents + c.marketing_cents + c.receivable_cents + c.loss_cents
$$;

-- Every balance as it was at a time, from postings alone. `person_id` is null for the operator's accounts.
create function ledger.balances_at(at timestamptz)
returns table (person_id bigint, account text, tokens bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select p.person_id, p.account, sum(p.tokens)::bigint
  from ledger.postings p join ledger.journal j on j.operator_id = p.operator_id and j.id = p.journal_id
  where p.operator_id = platform.operator_id() and j.at <= $1
  group by p.person_id, p.account having sum(p.tokens) <> 0
$$;

-- One entry with everything that belongs to it, as text that is the same for ever.
create function ledger.text_of(entry ledger.journal) returns text language sql stable as $$
  select jsonb_build_array(entry.operator_id, entry.id, entry.operation, entry.kind, entry.parameter_hash,
    entry.memo, extract(epoch from entry.at), entry.facts, entry.spending, entry.cause_id,
    (select jsonb_agg(jsonb_build_array(p.person_id, p.account, p.tokens, p.balance) order by p.id)
      from ledger.postings p where p.operator_id = entry.operator_id and p.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(m.account, m.currency, m.minor) order by m.account, m.currency)
      from ledger.money_postings m where m.operator_id = entry.operator_id and m.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(d.lot_id, d.tokens) order by d.lot_id)
      from ledger.draws d where d.operator_id = entry.operator_id and d.journal_id = entry.id))::text
$$;

create function ledger.link(chain bytea, entry text) returns bytea language sql immutable as $$
  select sha256(chain || convert_to(entry, 'UTF8'))
$$;
create aggregate ledger.chain(text) (sfunc = ledger.link, stype = bytea, initcond = '');

-- Entries of a day (UTC) and their hash, which stands on the hash of the seal before.
create function ledger.hash_of(me bigint, of_day date, before bytea, out entries bigint, out hash bytea)
language sql stable as $$
  select count(*), sha256(before || coalesce(ledger.chain(ledger.text_of(j) order by j.id), ''))
  from ledger.journal j
  where j.operator_id = me and j.at >= of_day::timestamp at time zone 'UTC'
    and j.at < (of_day + 1)::timestamp at time zone 'UTC'
$$;

-- Seals every day with entries that is over for an hour, so that no unit of work of it is still under way.
-- Answers the number of days.
create function ledger.seal(now timestamptz) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  last ledger.seals;
  open_day date;
  sealed int := 0;
begin
  -- One after the other: the number is ours alone.
  perform pg_advisory_xact_lock(7203414, me::int);
  loop
    select * into last from ledger.seals s where s.operator_id = me order by s.day desc limit 1;
    select min((j.at at time zone 'UTC')::date) into open_day from ledger.journal j
    where j.operator_id = me and j.at >= coalesce((last.day + 1)::timestamp at time zone 'UTC', '-infinity');
    exit when open_day is null or (open_day + 1)::timestamp at time zone 'UTC' + interval '1 hour' > now;
    insert into ledger.seals (operator_id, day, entries, hash, sealed_at)
    select me, open_day, h.entries, h.hash, now from ledger.hash_of(me, open_day, coalesce(last.hash, '')) h;
    sealed := sealed + 1;
  end loop;
  return sealed;
end $$;

-- Days whose rows are no longer those that were sealed; days that came into being between sealed ones too.
create function ledger.broken_seals() returns setof date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with sealed as (
    select s.*, lag(s.hash, 1, '') over (order by s.day) as before
    from ledger.seals s where s.operator_id = platform.operator_id()
  ), days as (
    select distinct (j.at at time zone 'UTC')::date as day from ledger.journal j
    where j.operator_id = platform.operator_id()
      and j.at < (select (max(s.day) + 1)::timestamp at time zone 'UTC' from sealed s)
  )
  select s.day from sealed s cross join lateral ledger.hash_of(s.operator_id, s.day, s.before) h
    where h.hash <> s.hash or h.entries <> s.entries
  union
  select d.day from days d where not exists (select from sealed s where s.day = d.day)
  order by 1
$$;

revoke execute on all functions in schema ledger from public;
grant execute on function ledger.faults() to candela_app;
grant execute on function ledger.cover() to candela_app;
grant execute on function ledger.alarms(timestamptz) to candela_app;
grant execute on function ledger.balances_at(timestamptz) to candela_app;
grant execute on function ledger.seal(timestamptz) to candela_app;
grant execute on function ledger.broken_seals() to candela_app;
