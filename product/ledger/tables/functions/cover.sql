-- What all outstanding tokens could be paid out for, and what covers them, in US cents. They are covered
-- when `outstanding_cents` is at most cash, marketing, receivables and losses together; `owed_cents` is
-- what performers earned.
create or replace function ledger.cover() returns table (
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

grant execute on function ledger.cover to candela_app;
