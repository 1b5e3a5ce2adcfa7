-- One operation after the other, with everything an operation can be. `resolve` says what an operation moves,
-- `refusal` whether it may, `enter` writes it, `decide` does one after the other.

drop function ledger.post(jsonb, timestamptz);
drop function ledger.decide(bigint, jsonb, timestamptz);
drop function ledger.legs_of(jsonb);

-- The legs of an operation as rows; raises when a number is none. SQL, so that the planner takes it apart.
create function ledger.legs_of(op jsonb)
returns table (person_id bigint, account text, tokens bigint, promotional boolean, backing_cents bigint)
language sql immutable as $$
  select (leg ->> 'person')::bigint, leg ->> 'account', (leg ->> 'tokens')::bigint,
    (leg -> 'lot' ->> 'promotional')::boolean, (leg -> 'lot' ->> 'backingCents')::bigint
  from jsonb_array_elements(op -> 'legs') as leg
$$;

-- What a token pays out and how much marketing is booked at most, in US cents.
create function ledger.settings_of(me bigint) returns table (payout_cents bigint, marketing_cap_cents bigint)
language sql stable as $$
  select coalesce(max(s.payout_cents), 5), coalesce(max(s.marketing_cap_cents), 10000000)
  from ledger.settings s where s.operator_id = me
$$;

create function ledger.period_start(period text, at timestamptz) returns timestamptz
language sql immutable as $$
  select date_trunc(period, at at time zone 'UTC') at time zone 'UTC'
$$;
create function ledger.period_end(period text, at timestamptz) returns timestamptz
language sql immutable as $$
  select (date_trunc(period, at at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC'
$$;

-- Legs with the credits that are to be split divided among those who share; the performer keeps the rest.
create function ledger.split_legs(me bigint, legs jsonb, now timestamptz) returns jsonb
language sql stable as $$
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
    else coalesce(jsonb_agg(one.leg order by one.nth), '[]') end
  from (
    select min(p.nth) as nth,
      coalesce((array_agg(p.leg order by p.nth) filter (where p.leg <> '{}'))[1], '{}')
        || jsonb_build_object('person', p.person, 'account', p.account, 'tokens', sum(p.tokens)) as leg
    from parts p group by p.person, p.account having sum(p.tokens) <> 0) one
$$;

-- An operation that cannot be.
create function ledger.refused(status text) returns jsonb language sql immutable as $$
  select jsonb_build_object('refused', jsonb_build_object('status', status))
$$;

-- What a settlement moves: from the hold to who earns, and what is left back to the person when it closes.
-- `gives` are the lots that get tokens back, `settled` those that are spent for good.
create function ledger.resolve_settlement(me bigint, op jsonb, now timestamptz) returns jsonb
language plpgsql as $$
declare
  hold ledger.holds;
  taken bigint;
  rest bigint := 0;
  settled jsonb;
  gives jsonb := '[]';
  legs jsonb;
begin
  select * into hold from ledger.holds h
  where h.operator_id = me and h.operation = (op -> 'settles' ->> 'hold')::uuid for update;
  select coalesce(-sum(leg.tokens), 0) into taken from ledger.legs_of(op) leg where leg.account = 'held';
  -- Giving everything back is possible also after its time: that is how it ends.
  if hold is null or hold.closed_at is not null or (taken > 0 and hold.expires_at <= now) then
    return ledger.refused('hold_closed');
  end if;
  if exists (
    select from ledger.legs_of(op) leg
    where leg.account in ('tokens', 'debt')
      or leg.account = 'held' and (leg.person_id <> hold.person_id or leg.tokens > 0)
  ) then
    raise exception 'a settlement takes from its own hold alone';
  end if;
  if taken > hold.tokens_left then
    return ledger.refused('insufficient');
  end if;
  if (op -> 'settles' ->> 'close')::boolean then
    rest := hold.tokens_left - taken;
  end if;

  with kept as (
    select d.lot_id, l.promotional, d.tokens - coalesce((
      select sum(s.tokens) from ledger.hold_draws s
      where s.operator_id = me and s.hold_journal_id = hold.journal_id and s.lot_id = d.lot_id), 0)::bigint
      as tokens
    from ledger.draws d
    join ledger.lots l on l.operator_id = me and l.id = d.lot_id
    where d.operator_id = me and d.journal_id = hold.journal_id
  ), summed as (
    select k.*, (sum(k.tokens) over (order by k.promotional desc, k.lot_id))::bigint - k.tokens as before
    from kept k where k.tokens > 0
  ), parts as (
    select s.lot_id, greatest(0, least(s.tokens, taken - s.before)) as spent,
      s.tokens - greatest(0, least(s.tokens, taken - s.before)) as back
    from summed s
  )
  select coalesce(
      jsonb_agg(jsonb_build_object('lot', p.lot_id, 'tokens', p.spent)) filter (where p.spent > 0), '[]'),
    coalesce(jsonb_agg(jsonb_build_object('lot', p.lot_id, 'tokens', p.back)) filter (where p.back > 0), '[]')
  into settled, gives from parts p;
  if rest = 0 then
    gives := '[]';
  end if;

  select coalesce(jsonb_agg(leg), '[]') into legs
  from jsonb_array_elements(ledger.split_legs(me, op -> 'legs', now)) leg where leg ->> 'account' <> 'held';
  if taken + rest > 0 then
    legs := legs || jsonb_build_array(
      jsonb_build_object('person', hold.person_id, 'account', 'held', 'tokens', -taken - rest));
  end if;
  if rest > 0 then
    legs := legs || jsonb_build_array(
      jsonb_build_object('person', hold.person_id, 'account', 'tokens', 'tokens', rest));
  end if;
  return jsonb_build_object('legs', legs, 'money', op -> 'money', 'spending', -1, 'countedAt', (
      select j.at from ledger.journal j where j.operator_id = me and j.id = hold.journal_id),
    'plan', jsonb_build_object('gives', gives, 'settled', settled,
      'holdJournal', hold.journal_id, 'taken', taken, 'close', (op -> 'settles' ->> 'close')::boolean));
end $$;

-- What a reversal moves: everything of before turned round. Tokens go back into the lots they came from, and
-- come out of the lots that were made; what is spent of those is owed after a chargeback.
create function ledger.resolve_reversal(me bigint, op jsonb) returns jsonb language plpgsql as $$
declare
  old ledger.journal;
  charged boolean := op -> 'reverses' ->> 'mode' = 'chargeback';
  legs jsonb;
  gives jsonb;
  takes jsonb;
  money jsonb;
  covered ledger.coverage;
begin
  select * into old from ledger.journal j
  where j.operator_id = me and j.operation = (op -> 'reverses' ->> 'operation')::uuid;
  if old is null or old.cause_id is not null
    or exists (select from ledger.reversals r
      where r.operator_id = me and (r.reversed_id = old.id or r.journal_id = old.id))
    or exists (select from ledger.holds h where h.operator_id = me and h.journal_id = old.id)
  then
    return ledger.refused('not_reversible');
  end if;
  perform from ledger.lots l where l.operator_id = me and l.journal_id = old.id order by l.id for update;
  select * into covered from ledger.coverage c where c.operator_id = me and c.journal_id = old.id;
  if charged and coalesce(covered.cash_cents, 0) <= 0 then
    return ledger.refused('not_reversible');
  end if;
  if not charged and exists (select from ledger.lots l
    where l.operator_id = me and l.journal_id = old.id and l.tokens_left < l.tokens)
  then
    return ledger.refused('not_reversible');
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('lot', l.id, 'tokens', l.tokens_left))
    filter (where l.tokens_left > 0), '[]')
  into takes from ledger.lots l where l.operator_id = me and l.journal_id = old.id;
  -- What a settlement spent lies with the hold, everything else with the entry itself.
  select coalesce(jsonb_agg(jsonb_build_object('lot', d.lot_id, 'tokens', d.tokens)), '[]') into gives from (
    select d.lot_id, d.tokens from ledger.draws d
    where d.operator_id = me and d.journal_id = old.id and d.tokens > 0
    union all
    select d.lot_id, d.tokens from ledger.hold_draws d where d.operator_id = me and d.journal_id = old.id) d;

  with changes as (
    -- Earnings, debts and the operator's accounts, as they were.
    select p.person_id, p.account, -p.tokens as tokens from ledger.postings p
    where p.operator_id = me and p.journal_id = old.id
      and (p.person_id is null or p.account in ('earnings', 'debt'))
    union all
    select l.person_id, 'tokens', (give ->> 'tokens')::bigint from jsonb_array_elements(gives) give
    join ledger.lots l on l.operator_id = me and l.id = (give ->> 'lot')::bigint
    union all
    select l.person_id, made.account, -made.tokens from ledger.lots l
    cross join lateral (
      values ('tokens', l.tokens_left), ('debt', l.tokens - l.tokens_left)) as made(account, tokens)
    where l.operator_id = me and l.journal_id = old.id
  )
  select jsonb_agg(
    jsonb_build_object('person', one.person_id, 'account', one.account, 'tokens', one.tokens))
  into legs from (
    select c.person_id, c.account, sum(c.tokens)::bigint as tokens from changes c
    group by c.person_id, c.account having sum(c.tokens) <> 0) one;

  money := op -> 'money';
  if money is null then
    select jsonb_agg(jsonb_build_object('account', m.account, 'currency', m.currency, 'minor', -m.minor))
    into money from ledger.money_postings m where m.operator_id = me and m.journal_id = old.id;
  end if;
  if legs is null and money is null then
    return ledger.refused('not_reversible');
  end if;
  return jsonb_build_object('legs', coalesce(legs, '[]'), 'money', money,
    'spending', case when old.spending = 0 then 0 else -1 end, 'countedAt', old.at,
    'plan', jsonb_build_object('gives', gives, 'takes', takes, 'reversed', old.id,
      'cash', -coalesce(covered.cash_cents, 0), 'marketing', -coalesce(covered.marketing_cents, 0),
      'mode', op -> 'reverses' ->> 'mode'));
end $$;

-- What an operation moves, with all that follows from rows: {legs, money, spending, plan}, or {refused}.
create function ledger.resolve(me bigint, op jsonb, now timestamptz) returns jsonb language plpgsql as $$
declare
  paid boolean;
begin
  if op ? 'settles' then
    return ledger.resolve_settlement(me, op, now);
  end if;
  if op ? 'reverses' then
    return ledger.resolve_reversal(me, op);
  end if;
  if exists (select from ledger.legs_of(op) leg
    where leg.account = 'held' and not op ? 'hold' or leg.account = 'debt' and leg.tokens < 0)
  then
    raise exception 'held tokens move by holds, and debts grow by spending and chargebacks alone';
  end if;
  if op ? 'hold' and (
    select count(*) <> 2 or count(distinct leg.person_id) <> 1
      or count(*) filter (where leg.account = 'tokens' and leg.tokens < 0) <> 1
      or count(*) filter (where leg.account = 'held' and leg.tokens > 0) <> 1
    from ledger.legs_of(op) leg)
  then
    raise exception 'a hold moves tokens of one person to what is held of them';
  end if;
  select exists (
    select from ledger.legs_of(op) leg where leg.account = 'tokens' and leg.tokens < 0) into paid;
  return jsonb_build_object('legs', ledger.split_legs(me, op -> 'legs', now), 'money', op -> 'money',
    'spending', case when paid and coalesce((op ->> 'spends')::boolean, true) then 1 else 0 end,
    'plan', null);
end $$;

-- Why a person may not spend, or null: {status, until, period}.
create function ledger.standing_refusal(me bigint, person bigint, amount bigint, now timestamptz)
returns jsonb language plpgsql as $$
declare
  standing ledger.standings;
  budget record;
begin
  select * into standing from ledger.standings s where s.operator_id = me and s.person_id = person;
  if standing.blocked_cause is not null then
    return jsonb_build_object('status', 'blocked');
  elsif standing.self_excluded_until > now then
    return jsonb_build_object('status', 'self_excluded', 'until', standing.self_excluded_until);
  elsif standing.cooling_off_until > now then
    return jsonb_build_object('status', 'cooling_off', 'until', standing.cooling_off_until);
  end if;
  -- Of several budgets that are used up, the one that lasts longest is told.
  select b.period, ledger.period_end(b.period, now) as until into budget from ledger.budgets b
  where b.operator_id = me and b.person_id = person
    and case when b.next_at <= now then b.next_tokens else b.tokens end
      < amount + case when b.starts = ledger.period_start(b.period, now) then b.spent else 0 end
  order by 2 desc limit 1;
  if budget.period is null then
    return null;
  end if;
  return jsonb_build_object('status', 'over_budget', 'period', budget.period, 'until', budget.until);
end $$;

-- Tokens by which the legs go below what a person has: what they would have to owe.
create function ledger.gaps(me bigint, op jsonb)
returns table (person_id bigint, account text, gap bigint) language sql stable as $$
  select leg.person_id, leg.account,
    case when leg.account = 'debt' then coalesce(a.balance, 0) + leg.tokens
      else -(coalesce(a.balance, 0) + leg.tokens) end
  from ledger.legs_of(op) leg
  left join ledger.accounts a
    on a.operator_id = me and a.person_id = leg.person_id and a.account = leg.account
  where leg.person_id is not null and case when leg.account = 'debt' then leg.tokens > 0
      and coalesce(a.balance, 0) + leg.tokens > 0 else coalesce(a.balance, 0) + leg.tokens < 0 end
$$;

-- Tokens that come from the operator, and what is needed beside the money that came for them, in US cents.
create function ledger.shortfall(me bigint, op jsonb)
returns table (cash_cents bigint, marketing_cents bigint) language sql stable as $$
  select sums.cash, greatest(0, sums.issued * s.payout_cents - sums.cash) from (
    select coalesce(-sum(leg.tokens) filter (
        where leg.person_id is null and leg.account in ('float', 'grants', 'promo')), 0)::bigint as issued,
      coalesce(sum(leg.backing_cents), 0)::bigint as cash
    from ledger.legs_of(op) leg) sums
  cross join ledger.settings_of(me) s
$$;

-- Whether a resolved operation may happen: null, or {status, until, period}.
create function ledger.refusal(me bigint, op jsonb, now timestamptz) returns jsonb language plpgsql as $$
declare
  leg record;
  found jsonb;
  credit bigint;
  debt bigint;
  needed bigint;
begin
  if (op ->> 'spending')::int = 1 then
    for leg in select l.person_id, -l.tokens as tokens from ledger.legs_of(op) l
      where l.account = 'tokens' and l.tokens < 0 order by 1
    loop
      found := ledger.standing_refusal(me, leg.person_id, leg.tokens, now);
      if found is not null then
        return found;
      end if;
    end loop;
  end if;
  for leg in select * from ledger.gaps(me, op) g order by 1, 2 loop
    if leg.account <> 'tokens' or (op ->> 'spending')::int <> 1 then
      return jsonb_build_object('status', 'insufficient');
    end if;
    select coalesce(max(s.credit_tokens), 0) into credit from ledger.standings s
    where s.operator_id = me and s.person_id = leg.person_id;
    select coalesce(max(-a.balance), 0) into debt from ledger.accounts a
    where a.operator_id = me and a.person_id = leg.person_id and a.account = 'debt';
    if debt + leg.gap > credit then
      return jsonb_build_object(
        'status', case when credit > 0 then 'credit_exhausted' else 'insufficient' end);
    end if;
  end loop;
  if op -> 'plan' ? 'reversed' then
    return null;
  end if;
  select s.marketing_cents into needed from ledger.shortfall(me, op) s;
  if needed > 0 then
    insert into ledger.marketing (operator_id, booked_cents) values (me, 0) on conflict do nothing;
    perform from ledger.marketing m where m.operator_id = me for update;
    if (select m.booked_cents + needed > s.marketing_cap_cents
      from ledger.marketing m cross join ledger.settings_of(me) s where m.operator_id = me)
    then
      return jsonb_build_object('status', 'marketing_cap');
    end if;
  end if;
  return null;
end $$;
