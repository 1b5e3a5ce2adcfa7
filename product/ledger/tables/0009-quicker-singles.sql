-- What `decide` does for one operation, cheaper. A function in SQL that cannot be taken apart is planned anew
-- each time it is called, one in PL/pgSQL once for each session.

-- Legs with the credits that are to be split divided among those who share; the performer keeps the rest.
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
  -- Without a split they stay as they are given, so that two legs of one account are still a fault.
  select case when not exists (select from shared) then legs
    else coalesce(jsonb_agg(one.leg order by one.nth), '[]') end into divided
  from (
    select min(p.nth) as nth,
      coalesce((array_agg(p.leg order by p.nth) filter (where p.leg <> '{}'))[1], '{}')
        || jsonb_build_object('person', p.person, 'account', p.account, 'tokens', sum(p.tokens)) as leg
    from parts p group by p.person, p.account having sum(p.tokens) <> 0) one;
  return divided;
end $$;

-- Token balances of the people an operation touched.
create or replace function ledger.balances_of(me bigint, operation uuid) returns jsonb
language plpgsql stable as $$
begin
  return (
    select coalesce(jsonb_object_agg(p.person_id, coalesce(a.balance, 0)), '{}') from (
      select distinct p.person_id from ledger.journal j
      join ledger.postings p on p.operator_id = me and p.journal_id = j.id
      where j.operator_id = me and j.operation = $2 and p.person_id is not null) p
    left join ledger.accounts a
      on a.operator_id = me and a.person_id = p.person_id and a.account = 'tokens');
end $$;

-- Spends tokens of a person's lots: promotional ones first, then the oldest. Since lots say whether they are
-- open, the index of open ones is found by that alone.
create or replace function ledger.draw(me bigint, person bigint, needed bigint, entry bigint) returns void
language plpgsql as $$
declare
  drawn bigint;
begin
  with open_lots as (
    select l.id, l.tokens_left,
      sum(l.tokens_left) over (order by l.promotional desc, l.id) - l.tokens_left as before
    from ledger.lots l
    where l.operator_id = me and l.person_id = person and l.is_open
  ), taken as (
    select o.id, least(o.tokens_left, needed - o.before)::bigint as tokens
    from open_lots o where o.before < needed
  ), spent as (
    update ledger.lots l set tokens_left = l.tokens_left - t.tokens from taken t
    where l.operator_id = me and l.id = t.id
    returning l.id, t.tokens
  ), noted as (
    insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
    select me, entry, s.id, s.tokens from spent s
    returning draws.tokens
  )
  select coalesce(sum(n.tokens), 0) into drawn from noted n;
  if drawn <> needed then
    raise exception 'the lots of person % do not cover their balance', person;
  end if;
end $$;

-- A session plans each statement once, and may do so while its tables are nearly empty; then it would read
-- the whole of them for ever. Everything here is found by its key, a few rows at a time.
alter function ledger.decide(bigint, jsonb, timestamptz)
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off;
-- Estimates of what comes as JSON are far too high, and would have it compiled.
alter function ledger.post(jsonb, timestamptz, boolean) set jit = off;

revoke execute on all functions in schema ledger from public;
