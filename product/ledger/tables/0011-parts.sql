-- Purchases that are taken back in parts, as billers refund them, and the ledger's own answer to whether
-- somebody could spend an amount now.

-- A part says how many tokens of what was issued it took; null is the whole at once, as before. The parts of
-- one entry follow one after the other, its accounts being locked; the whole is had once.
alter table ledger.reversals add column part_tokens bigint check (part_tokens >= 0);
alter table ledger.reversals drop constraint reversals_operator_id_journal_id_key;
alter table ledger.reversals drop constraint reversals_pkey, add primary key (operator_id, journal_id);
create index reversals_of_entry on ledger.reversals (operator_id, reversed_id);
create unique index reversals_whole on ledger.reversals (operator_id, reversed_id) where part_tokens is null;

-- What taking a part of a purchase back moves: `tokens` of those it issued, all that is left without. They
-- come out of the lot it made first, then what it repaid is owed again. What is spent of the lot is owed
-- after a chargeback; a refund of it is refused. The cover goes in the same share, rounded so that none is
-- missing.
create function ledger.resolve_part(me bigint, op jsonb, old ledger.journal) returns jsonb
language plpgsql as $$
declare
  charged constant boolean := op -> 'reverses' ->> 'mode' = 'chargeback';
  shape record;
  lot ledger.lots;
  covered ledger.coverage;
  gone bigint;
  part bigint;
  of_lot bigint;
  taken bigint;
  legs jsonb;
  money jsonb := op -> 'money';
begin
  select -coalesce(sum(p.tokens) filter (where p.person_id is null), 0)::bigint as issued,
    max(p.person_id) as person, max(p.account) filter (where p.person_id is null) as house,
    coalesce(bool_and(p.person_id is null and p.tokens < 0
      or p.account in ('tokens', 'debt') and p.tokens > 0), true)
      and count(*) filter (where p.person_id is null) <= 1 and count(distinct p.person_id) <= 1
      and count(*) filter (where p.account = 'tokens') <= 1 as is_purchase
  into shape
  from ledger.postings p where p.operator_id = me and p.journal_id = old.id;
  select coalesce(sum(r.part_tokens), 0) into gone from ledger.reversals r
  where r.operator_id = me and r.reversed_id = old.id;
  part := coalesce((op -> 'reverses' ->> 'tokens')::bigint, shape.issued - gone);
  if not shape.is_purchase or part < 0 or part > shape.issued - gone
    or (not op -> 'reverses' ? 'tokens' and part = 0 and shape.issued > 0)
  then
    return ledger.refused('not_reversible');
  end if;
  select * into lot from ledger.lots l where l.operator_id = me and l.journal_id = old.id;
  of_lot := least(part, coalesce(lot.tokens, 0) - least(gone, coalesce(lot.tokens, 0)));
  taken := least(of_lot, coalesce(lot.tokens_left, 0));
  if not charged and taken < of_lot then
    return ledger.refused('not_reversible');
  end if;

  select jsonb_agg(jsonb_build_object('person', one.person, 'account', one.account, 'tokens', one.tokens))
  into legs from (values
    (null, shape.house, part), (shape.person, 'tokens', -taken), (shape.person, 'debt', taken - part)
  ) as one(person, account, tokens) where one.tokens <> 0;
  if money is null and not op -> 'reverses' ? 'tokens' then
    -- The rest of the money, with what its parts moved already.
    select jsonb_agg(jsonb_build_object('account', m.account, 'currency', m.currency, 'minor', -m.minor))
    into money from (
      select m.account, m.currency, sum(m.minor)::bigint as minor from ledger.money_postings m
      where m.operator_id = me and (m.journal_id = old.id or m.journal_id in (
        select r.journal_id from ledger.reversals r where r.operator_id = me and r.reversed_id = old.id))
      group by m.account, m.currency having sum(m.minor) <> 0) m;
  end if;
  if legs is null and money is null then
    return ledger.refused('not_reversible');
  end if;
  select * into covered from ledger.coverage c where c.operator_id = me and c.journal_id = old.id;
  return jsonb_build_object('legs', coalesce(legs, '[]'), 'money', money, 'spending', 0, 'countedAt', old.at,
    'plan', jsonb_build_object('gives', '[]'::jsonb, 'takes', case when taken = 0 then '[]'::jsonb
        else jsonb_build_array(jsonb_build_object('lot', lot.id, 'tokens', taken)) end,
      'reversed', old.id, 'part', part, 'mode', op -> 'reverses' ->> 'mode',
      'cash', ledger.rest_of(covered.cash_cents, shape.issued, gone + part)
        - ledger.rest_of(covered.cash_cents, shape.issued, gone),
      'marketing', ledger.rest_of(covered.marketing_cents, shape.issued, gone + part)
        - ledger.rest_of(covered.marketing_cents, shape.issued, gone)));
end $$;

-- Cents that still cover tokens of which so many are gone, rounded up; 0 where nothing covered them.
create function ledger.rest_of(cents bigint, issued bigint, gone bigint) returns bigint
language sql immutable as $$
  select case when issued = 0 then 0
    else ceil(coalesce(cents, 0)::numeric * (issued - gone) / issued)::bigint end
$$;

-- As before for the whole; what is asked for in parts, or was begun in parts, goes by parts.
create or replace function ledger.resolve_reversal(me bigint, op jsonb) returns jsonb language plpgsql as $$
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
    or exists (select from ledger.reversals r where r.operator_id = me
      and (r.reversed_id = old.id and r.part_tokens is null or r.journal_id = old.id))
    or exists (select from ledger.holds h where h.operator_id = me and h.journal_id = old.id)
  then
    return ledger.refused('not_reversible');
  end if;
  perform from ledger.lots l where l.operator_id = me and l.journal_id = old.id order by l.id for update;
  if op -> 'reverses' ? 'tokens' or exists (
    select from ledger.reversals r where r.operator_id = me and r.reversed_id = old.id)
  then
    return ledger.resolve_part(me, op, old);
  end if;
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

-- As before, and what part of an entry a reversal took.
create or replace function ledger.follow_plan(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  plan constant jsonb := op -> 'plan';
begin
  perform ledger.move_lots(me, coalesce(plan -> 'takes', '[]'), 1, entry);
  perform ledger.move_lots(me, coalesce(plan -> 'gives', '[]'), -1, entry);
  if plan ? 'holdJournal' then
    insert into ledger.hold_draws (operator_id, journal_id, hold_journal_id, lot_id, tokens)
    select me, entry, (plan ->> 'holdJournal')::bigint, (part ->> 'lot')::bigint, (part ->> 'tokens')::bigint
    from jsonb_array_elements(plan -> 'settled') part;
    update ledger.holds h set
      tokens_left = case when (plan ->> 'close')::boolean then 0
        else h.tokens_left - (plan ->> 'taken')::bigint end,
      closed_at = case when (plan ->> 'close')::boolean then now end
    where h.operator_id = me and h.journal_id = (plan ->> 'holdJournal')::bigint;
    return;
  end if;
  insert into ledger.reversals (operator_id, reversed_id, journal_id, mode, part_tokens)
  values (me, (plan ->> 'reversed')::bigint, entry, plan ->> 'mode', (plan ->> 'part')::bigint);
  if (plan ->> 'cash')::bigint <> 0 or (plan ->> 'marketing')::bigint <> 0 then
    insert into ledger.coverage (operator_id, journal_id, cash_cents, marketing_cents)
    values (me, entry, (plan ->> 'cash')::bigint, (plan ->> 'marketing')::bigint);
    update ledger.marketing m set booked_cents = m.booked_cents + (plan ->> 'marketing')::bigint
    where m.operator_id = me;
  end if;
  if plan ->> 'mode' = 'chargeback' then
    insert into ledger.standings (operator_id, person_id, blocked_cause, blocked_reason, blocked_at)
    select distinct me, leg.person_id, 'chargeback', op ->> 'id', now
    from ledger.legs_of(op) leg where leg.person_id is not null and leg.account in ('tokens', 'debt')
    order by 2
    on conflict (operator_id, person_id) do update set blocked_cause = excluded.blocked_cause,
      blocked_reason = excluded.blocked_reason, blocked_at = excluded.blocked_at
    where standings.blocked_cause is null;
  end if;
end $$;

-- What would refuse a spend of a person now, as posting it would: null, or {status, until, period}.
create function ledger.may_spend(person bigint, amount bigint, now timestamptz) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select ledger.refusal(platform.operator_id(), jsonb_build_object('spending', 1, 'plan', null, 'legs',
    jsonb_build_array(jsonb_build_object('person', person, 'account', 'tokens', 'tokens', -amount))), now)
$$;

revoke execute on all functions in schema ledger from public;
grant execute on function ledger.may_spend(bigint, bigint, timestamptz) to candela_app;
