-- Writes what was decided, and the function that decides one operation after the other.

-- Tokens back into lots, or out of certain ones: {lot, tokens}, `sign` 1 for out.
create function ledger.move_lots(me bigint, parts jsonb, sign int, entry bigint) returns void
language plpgsql as $$
begin
  update ledger.lots l set tokens_left = l.tokens_left - sign * (part ->> 'tokens')::bigint
  from jsonb_array_elements(parts) part where l.operator_id = me and l.id = (part ->> 'lot')::bigint;
  insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
  select me, entry, (part ->> 'lot')::bigint, sign * (part ->> 'tokens')::bigint
  from jsonb_array_elements(parts) part;
end $$;

-- What a settlement or a reversal does beside its postings.
create function ledger.follow_plan(me bigint, op jsonb, entry bigint, now timestamptz) returns void
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
  insert into ledger.reversals (operator_id, reversed_id, journal_id, mode)
  values (me, (plan ->> 'reversed')::bigint, entry, plan ->> 'mode');
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

-- What every other operation does beside its postings: spends lots, makes lots, keeps tokens aside.
create function ledger.follow_legs(me bigint, op jsonb, entry bigint) returns void language plpgsql as $$
declare
  spend record;
  payout bigint;
  covered record;
begin
  for spend in
    select leg.person_id, -leg.tokens as tokens from ledger.legs_of(op) leg
    where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0
  loop
    perform ledger.draw(me, spend.person_id, spend.tokens, entry);
  end loop;
  select s.payout_cents into payout from ledger.settings_of(me) s;
  select * into covered from ledger.shortfall(me, op);

  -- A credit that does not say where it comes from is promotional: nothing becomes payable by omission.
  insert into ledger.lots (operator_id, person_id, journal_id, promotional, backing_cents, marketing_cents,
    receivable_cents, tokens, tokens_left)
  select me, leg.person_id, entry, coalesce(leg.promotional, true), coalesce(leg.backing_cents, 0),
    case when covered.marketing_cents > 0
      then greatest(0, leg.tokens * payout - coalesce(leg.backing_cents, 0)) else 0 end,
    case when op ? 'lends' then leg.tokens * payout else 0 end,
    leg.tokens, leg.tokens
  from ledger.legs_of(op) leg
  where leg.person_id is not null and leg.account = 'tokens' and leg.tokens > 0;

  if covered.cash_cents > 0 or covered.marketing_cents > 0 then
    insert into ledger.coverage (operator_id, journal_id, cash_cents, marketing_cents)
    values (me, entry, covered.cash_cents, covered.marketing_cents);
  end if;
  if covered.marketing_cents > 0 then
    update ledger.marketing m set booked_cents = m.booked_cents + covered.marketing_cents
    where m.operator_id = me;
  end if;
  if op ? 'hold' then
    insert into ledger.holds (operator_id, operation, journal_id, person_id, tokens, tokens_left, expires_at)
    select me, (op ->> 'id')::uuid, entry, leg.person_id, leg.tokens, leg.tokens,
      (op -> 'hold' ->> 'expiresAt')::timestamptz
    from ledger.legs_of(op) leg where leg.account = 'held';
  end if;
end $$;

-- Counts what was spent, or given back, in the budgets of those who have one.
create function ledger.count_spending(me bigint, op jsonb, now timestamptz) returns void
language plpgsql as $$
begin
  if (op ->> 'spending')::int = 1 then
    update ledger.budgets b set starts = ledger.period_start(b.period, now),
      spent = case when b.starts = ledger.period_start(b.period, now) then b.spent else 0 end - leg.tokens
    from ledger.legs_of(op) leg
    where b.operator_id = me and b.person_id = leg.person_id and leg.account = 'tokens' and leg.tokens < 0;
  elsif (op ->> 'spending')::int = -1 then
    update ledger.budgets b set spent = greatest(0, b.spent - leg.tokens)
    from ledger.legs_of(op) leg
    where b.operator_id = me and b.person_id = leg.person_id and leg.account = 'tokens' and leg.tokens > 0
      and b.starts <= (op ->> 'countedAt')::timestamptz;
  end if;
end $$;

-- Writes one resolved operation that may happen: balances, postings, lots, facts. The accounts are locked.
create or replace function ledger.enter(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  changes jsonb;
begin
  update ledger.accounts a set balance = a.balance + leg.tokens
  from ledger.legs_of(op) leg
  where a.operator_id = me and a.person_id = leg.person_id and a.account = leg.account;

  insert into ledger.postings (operator_id, journal_id, person_id, account, tokens, balance)
  select me, entry, leg.person_id, leg.account, leg.tokens, a.balance
  from ledger.legs_of(op) leg
  left join ledger.accounts a
    on a.operator_id = me and a.person_id = leg.person_id and a.account = leg.account;

  if jsonb_typeof(op -> 'money') = 'array' then
    insert into ledger.money_postings (operator_id, journal_id, account, currency, minor)
    select me, entry, leg ->> 'account', leg ->> 'currency', (leg ->> 'minor')::bigint
    from jsonb_array_elements(op -> 'money') leg;
  end if;
  if jsonb_typeof(op -> 'plan') = 'object' then
    perform ledger.follow_plan(me, op, entry, now);
  else
    perform ledger.follow_legs(me, op, entry);
  end if;
  perform ledger.count_spending(me, op, now);

  select jsonb_agg(jsonb_build_object(
    'name', 'ledger.balanceChanged', 'key', 'person:' || p.person_id,
    'payload', jsonb_build_object('operationId', op ->> 'id', 'kind', op ->> 'kind', 'changes',
      jsonb_build_array(jsonb_build_object('personId', p.person_id, 'tokens', p.balance, 'change', p.tokens)))
    ) order by p.person_id) into changes
  from ledger.postings p
  where p.operator_id = me and p.journal_id = entry and p.person_id is not null and p.account = 'tokens';
  perform platform.announce(coalesce(changes, '[]') || coalesce(op -> 'facts', '[]'), now);
end $$;

-- An entry the ledger makes because of another: tokens lent to who pays afterwards, a debt repaid.
create function ledger.enter_because(
  me bigint, cause bigint, operation text, kind text, person bigint, tokens bigint, now timestamptz
) returns void language plpgsql as $$
declare
  made bigint;
  -- The same cause always makes the same id.
  id constant uuid := md5(operation || ' ' || kind || ' ' || person)::uuid;
  lent constant boolean := kind = 'post_pay';
  change constant bigint := case when lent then tokens else -tokens end;
  memo constant jsonb := jsonb_build_object('operation', operation);
begin
  -- Whoever may owe since this batch began has no account of it yet.
  insert into ledger.accounts (operator_id, person_id, account) values (me, person, 'debt')
  on conflict do nothing;
  insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, cause_id)
  values (me, id, kind, operation, memo, now, cause) returning journal.id into made;
  perform ledger.enter(me, jsonb_build_object(
    'id', id, 'kind', kind, 'spending', 0, 'facts', '[]'::jsonb,
    'legs', jsonb_build_array(
      jsonb_build_object('person', person, 'account', 'debt', 'tokens', -change),
      jsonb_build_object('person', person, 'account', 'tokens', 'tokens', change,
        'lot', jsonb_build_object('promotional', false, 'backingCents', 0))
    )) || case when lent then '{"lends": true}'::jsonb else '{}'::jsonb end, made, now);
end $$;

-- Tokens that come to somebody whom a chargeback has closed pay what they owe first. When that is all, they
-- may spend again.
create function ledger.repay(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  owing record;
begin
  for owing in
    select s.person_id, least(coalesce(t.balance, 0), coalesce(-d.balance, 0)) as tokens,
      coalesce(-d.balance, 0) as owed, exists (
        select from ledger.legs_of(op) leg
        where leg.person_id = s.person_id and leg.account = 'debt' and leg.tokens > 0) as paid
    from ledger.standings s
    left join ledger.accounts t on t.operator_id = me and t.person_id = s.person_id and t.account = 'tokens'
    left join ledger.accounts d on d.operator_id = me and d.person_id = s.person_id and d.account = 'debt'
    where s.operator_id = me and s.blocked_cause = 'chargeback' and s.person_id in (
      select leg.person_id from ledger.legs_of(op) leg
      where leg.account in ('tokens', 'debt') and leg.tokens > 0)
    order by 1
  loop
    if owing.tokens > 0 then
      perform ledger.enter_because(
        me, entry, op ->> 'id', 'debt_repaid', owing.person_id, owing.tokens, now);
    end if;
    if owing.tokens = owing.owed and (owing.owed > 0 or owing.paid) then
      update ledger.standings s set blocked_cause = null, blocked_reason = null, blocked_at = null
      where s.operator_id = me and s.person_id = owing.person_id;
    end if;
  end loop;
end $$;

-- Decides one operation: what happened before stays, what cannot be is refused, the rest is entered.
create function ledger.decide(me bigint, given jsonb, now timestamptz) returns jsonb language plpgsql as $$
declare
  known_hash text;
  entry bigint;
  op jsonb;
  refused jsonb;
  gap record;
begin
  loop
    select j.parameter_hash into known_hash from ledger.journal j
    where j.operator_id = me and j.operation = (given ->> 'id')::uuid;
    if found then
      return jsonb_build_object(
        'status', case when known_hash = given ->> 'parameterHash' then 'duplicate' else 'mismatch' end);
    end if;
    -- Only `resolve` says what these are, whatever came along.
    op := given - '{plan,spending,countedAt,lends,refused}'::text[] || ledger.resolve(me, given, now);
    refused := coalesce(op -> 'refused', ledger.refusal(me, op, now));
    if refused is not null then
      return refused;
    end if;
    insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, facts, spending)
    values (me, (op ->> 'id')::uuid, op ->> 'kind', op ->> 'parameterHash', op -> 'memo', now,
      coalesce(op -> 'facts', '[]'), (op ->> 'spending')::int)
    on conflict (operator_id, operation) do nothing
    returning id into entry;
    exit when entry is not null;
    -- Another session entered the same operation in this very moment: look at it.
  end loop;
  for gap in select g.person_id, g.gap from ledger.gaps(me, op) g order by 1 loop
    perform ledger.enter_because(me, entry, op ->> 'id', 'post_pay', gap.person_id, gap.gap, now);
  end loop;
  perform ledger.enter(me, op, entry, now);
  perform ledger.repay(me, op, entry, now);
  return '{"status": "posted"}';
end $$;

-- Accounts that follow from rows: of holds and reversals, of those who share earnings, debts of those who may
-- owe or do.
create function ledger.touched_by_rows(me bigint, ops jsonb, people bigint[])
returns table (person_id bigint, account text) language plpgsql stable as $$
begin
  return query select t.person_id, unnest(array['tokens', 'debt']) from ledger.standings t
    where t.operator_id = me and t.person_id = any(people)
      and (t.credit_tokens > 0 or t.blocked_cause = 'chargeback');
  if not ops @? '$[*] ? (exists(@.settles) || exists(@.reverses) || exists(@.legs[*].split))' then
    return;
  end if;
  return query select h.person_id, unnest(array['tokens', 'held', 'debt'])
    from jsonb_array_elements(ops) one join ledger.holds h
      on h.operator_id = me and h.operation = (one -> 'settles' ->> 'hold')::uuid;
  return query select p.person_id, unnest(array[p.account, 'tokens', 'debt'])
    from jsonb_array_elements(ops) one
    join ledger.journal j on j.operator_id = me and j.operation = (one -> 'reverses' ->> 'operation')::uuid
    join ledger.postings p on p.operator_id = me and p.journal_id = j.id
    where p.person_id is not null;
  return query select (share ->> 'person')::bigint, 'earnings'
    from ledger.splits s cross join lateral jsonb_array_elements(s.shares) share
    where s.operator_id = me and s.performer_id = any(people) and share ->> 'person' is not null;
end $$;

-- Every account the operations may change, so that all are locked first and in one order.
create function ledger.touched(me bigint, ops jsonb) returns table (person_id bigint, account text)
language plpgsql stable as $$
declare
  people bigint[];
  accounts text[];
begin
  select array_agg(one.person), array_agg(one.account) into people, accounts from (
    select distinct (leg ->> 'person')::bigint as person, leg ->> 'account' as account
    from jsonb_array_elements(ops) op cross join lateral jsonb_array_elements(op -> 'legs') leg
    where leg ->> 'person' is not null) one;
  return query
    select t.person_id, t.account from unnest(people, accounts) as t(person_id, account)
    union
    select r.person_id, r.account from ledger.touched_by_rows(me, ops, people) r
    order by 1, 2;
end $$;

-- Token balances of the people an operation touched.
create function ledger.balances_of(me bigint, operation uuid) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(p.person_id, coalesce(a.balance, 0)), '{}') from (
    select distinct p.person_id from ledger.journal j
    join ledger.postings p on p.operator_id = me and p.journal_id = j.id
    where j.operator_id = me and j.operation = $2 and p.person_id is not null) p
  left join ledger.accounts a on a.operator_id = me and a.person_id = p.person_id and a.account = 'tokens'
$$;

revoke execute on all functions in schema ledger from public;
