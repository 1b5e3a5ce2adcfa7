-- The legs, with credits marked `split` divided by the performer's shares; the performer gets the
-- remainder.
create or replace function ledger.split_legs(me bigint, legs jsonb, now timestamptz) returns jsonb
language plpgsql stable as $$
declare
  divided jsonb;
begin
  if not legs @? '$[*].split' then
    return legs;
  end if;
  with given as (
    select leg, nth, (leg ->> 'tokens')::bigint as tokens, (leg ->> 'person')::bigint as person
    from jsonb_array_elements(legs) with ordinality as e(leg, nth)
  ), shared as (
    select g.nth, g.tokens * (share ->> 'percent')::bigint / 100 as tokens,
      (share ->> 'person')::bigint as person
    from given g
    cross join lateral (
      select s.shares from ledger.splits s
      where s.operator_id = me and s.performer_id = g.person and s.starts <= now
      order by s.starts desc limit 1) current
    cross join lateral jsonb_array_elements(current.shares) as share
    where (g.leg ->> 'split')::boolean
  ), parts as (
    select g.nth, g.leg - 'split' as leg, g.person, g.leg ->> 'account' as account,
      g.tokens - coalesce((select sum(s.tokens) from shared s where s.nth = g.nth), 0)::bigint as tokens
    from given g
    union all
    select s.nth, '{}', s.person, case when s.person is null then 'fees' else 'earnings' end, s.tokens
    from shared s
  )
  -- Without shares the legs stay as they are, so that two legs of one account are still an error.
  select case when not exists (select from shared) then legs
    else coalesce(jsonb_agg(one.leg order by one.nth), '[]') end into divided
  from (
    select min(p.nth) as nth,
      coalesce((array_agg(p.leg order by p.nth) filter (where p.leg <> '{}'))[1], '{}')
        || jsonb_build_object('person', p.person, 'account', p.account, 'tokens', sum(p.tokens)) as leg
    from parts p group by p.person, p.account having sum(p.tokens) <> 0) one;
  return divided;
end $$;
