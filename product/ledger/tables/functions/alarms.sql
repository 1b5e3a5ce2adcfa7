-- Clearing accounts that did not return to zero in time: holds past their end, money in suspense for more
-- than three days. Also days that are not sealed a day after their end, and tokens that nothing covers.
create or replace function ledger.alarms(now timestamptz)
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
    -- Open since the first entry after the balance was last zero.
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

grant execute on function ledger.alarms to candela_app;
