-- How many promotional tokens an operation may spend, so that nobody it pays earns more of them in a UTC day
-- than the cap allows; null when nothing limits them. The earnings it pays are locked.
create or replace function ledger.promotional_room(me bigint, op jsonb, now timestamptz) returns bigint
language sql stable as $$
  select min(least(paid.tokens, div(
    greatest(0, s.performer_cap_cents / s.payout_cents - coalesce((
      select sum(e.tokens) from ledger.promotional_earnings e
      where e.operator_id = me and e.person_id = leg.person_id
        and e.day = (now at time zone 'utc')::date), 0)) * paid.tokens, leg.tokens)))::bigint
  from ledger.settings_of(me) s
  cross join (
    select -sum(l.tokens) as tokens from ledger.legs_of(op) l
    where l.person_id is not null and l.account = 'tokens' and l.tokens < 0) paid
  join ledger.legs_of(op) leg on leg.account = 'earnings' and leg.tokens > 0
  where s.payout_cents > 0
$$;
