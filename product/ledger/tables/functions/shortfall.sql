-- For tokens that the operator issues: the cash that came for them, and the marketing needed beside it, in
-- US cents.
create or replace function ledger.shortfall(me bigint, op jsonb)
returns table (cash_cents bigint, marketing_cents bigint) language sql stable as $$
  select sums.cash, greatest(0, sums.issued * s.payout_cents - sums.cash) from (
    select coalesce(-sum(leg.tokens) filter (
        where leg.person_id is null and leg.account in ('float', 'grants', 'promo')), 0)::bigint as issued,
      coalesce(sum(leg.backing_cents), 0)::bigint as cash
    from ledger.legs_of(op) leg) sums
  cross join ledger.settings_of(me) s
$$;
