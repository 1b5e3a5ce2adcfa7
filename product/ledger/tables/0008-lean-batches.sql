-- The same as 0006, cheaper: what a batch moves is laid out once in arrays of equal length, decided in loops
-- over them, and written by one statement for each table. A statement with forty joins of sixty rows cost
-- more than the rows it wrote, and as much for one operation as for many.

-- Keys compare by bytes: the order of a language costs a call for each step down an index, and means nothing.
alter table ledger.accounts alter column account type text collate "C";
alter table ledger.postings alter column account type text collate "C";

drop function ledger.enter_plain(bigint, jsonb, timestamptz);
drop function ledger.touched(bigint, jsonb);
drop function ledger.touched_by_rows(bigint, jsonb, bigint[]);

-- Accounts that follow from rows: of holds and reversals, of those who share earnings, debts of those who may
-- owe or do.
create function ledger.touched_by_rows(
  me bigint, ops jsonb, people bigint[], has_forms boolean, has_splits boolean
) returns table (person_id bigint, account text) language plpgsql stable as $$
begin
  return query select t.person_id, unnest(array['tokens', 'debt']) from ledger.standings t
    where t.operator_id = me and t.person_id = any(people)
      and (t.credit_tokens > 0 or t.blocked_cause = 'chargeback');
  if has_forms then
    return query select h.person_id, unnest(array['tokens', 'held', 'debt'])
      from jsonb_array_elements(ops) one join ledger.holds h
        on h.operator_id = me and h.operation = (one -> 'settles' ->> 'hold')::uuid;
    return query select p.person_id, unnest(array[p.account, 'tokens', 'debt'])
      from jsonb_array_elements(ops) one
      join ledger.journal j on j.operator_id = me and j.operation = (one -> 'reverses' ->> 'operation')::uuid
      join ledger.postings p on p.operator_id = me and p.journal_id = j.id
      where p.person_id is not null;
  end if;
  if has_splits then
    return query select (share ->> 'person')::bigint, 'earnings'
      from ledger.splits s cross join lateral jsonb_array_elements(s.shares) share
      where s.operator_id = me and s.performer_id = any(people) and share ->> 'person' is not null;
  end if;
end $$;

-- Locks accounts in the order given, which is the same for everybody, so that two batches never wait for each
-- other in a ring; makes those that are missing, and answers all balances.
create function ledger.lock_accounts(me bigint, people bigint[], accounts text[]) returns bigint[]
language plpgsql as $$
declare
  balances bigint[];
begin
  if cardinality(people) > (
    select count(*) from unnest(people, accounts) as t(person_id, account)
    join ledger.accounts a on a.operator_id = me and a.person_id = t.person_id and a.account = t.account)
  then
    insert into ledger.accounts (operator_id, person_id, account)
    select me, t.person_id, t.account
    from unnest(people, accounts) with ordinality as t(person_id, account, nth)
    where not exists (select from ledger.accounts a
      where a.operator_id = me and a.person_id = t.person_id and a.account = t.account)
    order by t.nth
    on conflict do nothing;
  end if;
  select coalesce(array_agg(l.balance), '{}') into balances from (
    select a.balance from unnest(people, accounts) with ordinality as t(person_id, account, nth)
    join ledger.accounts a on a.operator_id = me and a.person_id = t.person_id and a.account = t.account
    order by t.nth
    for update of a) l;
  return balances;
end $$;

-- Which operations are plain, by place: one payer, who gives to earnings and to the operator, has enough for
-- all they spend in the batch and nothing that limits them. Nobody overtakes themselves: who has anything in
-- the batch that is not plain has nothing plain.
create function ledger.find_plain(
  me bigint, ids uuid[], simple boolean[], leg_op int[], leg_person bigint[], leg_account text[],
  leg_tokens bigint[], leg_split boolean[], leg_slot int[], people bigint[], balances bigint[]
) returns boolean[] language plpgsql as $$
declare
  size constant int := cardinality(ids);
  plain boolean[] := simple;
  sums bigint[] := array_fill(0::bigint, array[size]);
  counts int[] := array_fill(0, array[size]);
  payers int[] := array_fill(0, array[size]);
  -- By account: where its person's accounts begin, what they spend, and whether they do anything else.
  heads int[] := array_fill(0, array[cardinality(people)]);
  spent bigint[] := array_fill(0::bigint, array[cardinality(people)]);
  mixed boolean[] := array_fill(false, array[cardinality(people)]);
  dividing bigint[] := '{}';
  limited bigint[];
  nth int;
  head int;
begin
  if true = any(leg_split) then
    select coalesce(array_agg(s.performer_id), '{}') into dividing from ledger.splits s
    where s.operator_id = me and s.performer_id = any(people);
  end if;
  -- The same id twice in a batch is for `decide`.
  if size > (select count(distinct t.id) from unnest(ids) as t(id)) then
    select array_agg(p.simple and p.times = 1 order by p.nth) into plain from (
      select t.nth, t.simple, count(*) over (partition by t.id) as times
      from unnest(ids, simple) with ordinality as t(id, simple, nth)) p;
  end if;
  for i in 1 .. cardinality(leg_op) loop
    nth := leg_op[i];
    sums[nth] := sums[nth] + leg_tokens[i];
    counts[nth] := counts[nth] + 1;
    if leg_tokens[i] < 0 then
      plain[nth] := plain[nth] and payers[nth] = 0 and leg_person[i] is not null
        and leg_account[i] = 'tokens';
      payers[nth] := leg_slot[i];
    elsif leg_person[i] is null then
      plain[nth] := plain[nth] and leg_account[i] in ('fees', 'grants', 'promo', 'float', 'losses');
    else
      plain[nth] := plain[nth] and leg_account[i] = 'earnings'
        and not (leg_split[i] and leg_person[i] = any(dividing));
    end if;
  end loop;
  for i in 1 .. size loop
    plain[i] := coalesce(plain[i] and counts[i] > 1 and sums[i] = 0 and payers[i] > 0, false);
  end loop;

  for i in 1 .. cardinality(people) loop
    heads[i] := case when i > 1 and people[i] = people[i - 1] then heads[i - 1] else i end;
  end loop;
  for i in 1 .. cardinality(leg_op) loop
    if leg_slot[i] is not null and leg_account[i] <> 'earnings' then
      head := heads[leg_slot[i]];
      mixed[head] := mixed[head] or not plain[leg_op[i]];
      spent[head] := spent[head] + greatest(0, -leg_tokens[i]);
    end if;
  end loop;
  select array_agg(l.person_id) into limited from (
    select t.person_id from ledger.standings t where t.operator_id = me and t.person_id = any(people)
    union all
    select b.person_id from ledger.budgets b where b.operator_id = me and b.person_id = any(people)) l;
  for i in 1 .. size loop
    if plain[i] then
      head := heads[payers[i]];
      plain[i] := not mixed[head] and balances[payers[i]] >= spent[head]
        and (limited is null or people[head] <> all(limited));
    end if;
  end loop;
  return plain;
end $$;

-- Takes what entries spend from the lots of their payers, promotional ones first, then the oldest. `payers`
-- are places in `people`; an operation without an entry is left out.
create function ledger.draw_plain(
  me bigint, entries bigint[], payers int[], amounts bigint[], people bigint[]
) returns void language plpgsql as $$
declare
  lots bigint[];
  lefts bigint[];
  owners bigint[];
  -- By person: the lot that is drawn from.
  heads int[] := array_fill(null::int, array[cardinality(people)]);
  draw_entries bigint[] := '{}';
  draw_lots bigint[] := '{}';
  draw_tokens bigint[] := '{}';
  lot int;
  needed bigint;
  part bigint;
begin
  select array_agg(l.id), array_agg(l.tokens_left), array_agg(l.nth) into lots, lefts, owners from (
    select l.id, l.tokens_left, t.nth
    from (select distinct p.nth from unnest(entries, payers) as p(entry, nth) where p.entry is not null) t
    join ledger.lots l on l.operator_id = me and l.person_id = people[t.nth] and l.is_open
    order by t.nth, l.promotional desc, l.id) l;
  for i in reverse coalesce(cardinality(lots), 0) .. 1 loop
    heads[owners[i]] := i;
  end loop;
  for i in 1 .. cardinality(entries) loop
    continue when entries[i] is null;
    needed := amounts[i];
    lot := heads[payers[i]];
    while needed > 0 loop
      if owners[lot] is distinct from payers[i] then
        raise exception 'the lots of a batch do not cover what it spends';
      end if;
      part := least(needed, lefts[lot]);
      lefts[lot] := lefts[lot] - part;
      needed := needed - part;
      draw_entries := draw_entries || entries[i];
      draw_lots := draw_lots || lots[lot];
      draw_tokens := draw_tokens || part;
      lot := lot + (lefts[lot] = 0)::int;
    end loop;
    heads[payers[i]] := lot;
  end loop;
  update ledger.lots l set tokens_left = t.tokens_left
  from unnest(lots, lefts) as t(id, tokens_left)
  where l.operator_id = me and l.id = t.id and l.tokens_left <> t.tokens_left;
  insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
  select me, t.entry, t.lot, t.tokens
  from unnest(draw_entries, draw_lots, draw_tokens) as t(entry, lot, tokens);
end $$;

-- Announces what entries changed, `afters` being the balances of their payers, and the facts that came along.
create function ledger.tell_plain(
  ops jsonb, now timestamptz, entries bigint[], payers int[], amounts bigint[], afters bigint[],
  people bigint[]
) returns void language plpgsql as $$
declare
  names text[];
  keys text[];
  payloads jsonb[];
begin
  select array_agg(f.name), array_agg(f.key), array_agg(f.payload) into names, keys, payloads from (
    select o.nth, 0 as place, 'ledger.balanceChanged' as name, 'person:' || people[payers[o.nth]] as key,
      jsonb_build_object('operationId', o.one -> 'id', 'kind', o.one -> 'kind', 'changes',
        jsonb_build_array(jsonb_build_object(
          'personId', people[payers[o.nth]], 'tokens', afters[o.nth], 'change', -amounts[o.nth]))) as payload
    from jsonb_array_elements(ops) with ordinality as o(one, nth) where entries[o.nth] is not null
    union all
    select o.nth, f.place, f.fact ->> 'name', f.fact ->> 'key', f.fact -> 'payload'
    from jsonb_array_elements(ops) with ordinality as o(one, nth)
    cross join lateral jsonb_array_elements(o.one -> 'facts') with ordinality as f(fact, place)
    where entries[o.nth] is not null
    order by 1, 2) f;
  perform platform.announce(names, keys, payloads, now);
end $$;

-- Enters the plain operations of a batch and answers their outcomes by place, null for what is left to
-- `decide`. `leg_slot` is the place of a leg's account in `people` and `accounts`, null for the operator's.
-- The first accounts, as many as there are balances, are locked; the rest are earnings, and are locked as
-- late as can be: a room that tips one performer is at work in two batches, and only what follows that lock
-- is done by one at a time.
create function ledger.enter_plain(
  me bigint, ops jsonb, now timestamptz, ids uuid[], plain boolean[], leg_op int[], leg_person bigint[],
  leg_account text[], leg_tokens bigint[], leg_slot int[], people bigint[], accounts text[], balances bigint[]
) returns jsonb[] language plpgsql as $$
declare
  size constant int := cardinality(ids);
  legs constant int := cardinality(leg_op);
  own constant int := cardinality(balances);
  entries bigint[];
  payers int[] := array_fill(null::int, array[size]);
  amounts bigint[] := array_fill(null::bigint, array[size]);
  afters bigint[] := array_fill(null::bigint, array[size]);
  leg_entry bigint[] := array_fill(null::bigint, array[legs]);
  leg_balance bigint[] := array_fill(null::bigint, array[legs]);
  -- By account of earnings: the place of what the same person can spend, or else what they can.
  spend_slots int[];
  spend_balances bigint[];
  shown jsonb[] := array_fill('{}'::jsonb, array[size]);
  outcomes jsonb[] := array_fill(null::jsonb, array[size]);
  nth int;
  slot int;
begin
  with entered as (
    insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, facts, spending)
    select me, ids[o.nth], o.one ->> 'kind', o.one ->> 'parameterHash', o.one -> 'memo', now,
      coalesce(o.one -> 'facts', '[]'), 1
    from jsonb_array_elements(ops) with ordinality as o(one, nth) where plain[o.nth]
    order by o.nth
    on conflict (operator_id, operation) do nothing
    returning journal.id, journal.operation
  )
  select array_agg(e.id order by t.nth) into entries
  from unnest(ids) with ordinality as t(id, nth) left join entered e on e.operation = t.id;
  select array_agg(s.nth order by t.nth), array_agg(coalesce(a.balance, 0) order by t.nth)
  into spend_slots, spend_balances
  from unnest(people[own + 1:]) with ordinality as t(person_id, nth)
  left join unnest(people[:own], accounts[:own]) with ordinality as s(person_id, account, nth)
    on s.person_id = t.person_id and s.account = 'tokens'
  left join ledger.accounts a
    on a.operator_id = me and a.person_id = t.person_id and a.account = 'tokens';

  for i in 1 .. legs loop
    nth := leg_op[i];
    continue when entries[nth] is null;
    leg_entry[i] := entries[nth];
    slot := leg_slot[i];
    if leg_tokens[i] < 0 then
      balances[slot] := balances[slot] + leg_tokens[i];
      leg_balance[i] := balances[slot];
      payers[nth] := slot;
      amounts[nth] := -leg_tokens[i];
      afters[nth] := balances[slot];
    elsif slot is not null then
      -- Who earns is told what they can spend, too.
      shown[nth] := shown[nth] || jsonb_build_object(people[slot],
        coalesce(balances[spend_slots[slot - own]], spend_balances[slot - own]));
    end if;
  end loop;
  for i in 1 .. size loop
    continue when entries[i] is null;
    outcomes[i] := jsonb_build_object('status', 'posted', 'balances',
      shown[i] || jsonb_build_object(people[payers[i]], afters[i]));
  end loop;
  perform ledger.draw_plain(me, entries, payers, amounts, people);
  perform ledger.tell_plain(ops, now, entries, payers, amounts, afters, people);

  balances := balances || ledger.lock_accounts(me, people[own + 1:], accounts[own + 1:]);
  for i in 1 .. legs loop
    slot := leg_slot[i];
    if slot > own and leg_entry[i] is not null then
      balances[slot] := balances[slot] + leg_tokens[i];
      leg_balance[i] := balances[slot];
    end if;
  end loop;
  insert into ledger.postings (operator_id, journal_id, person_id, account, tokens, balance)
  select me, t.entry, t.person, t.account, t.tokens, t.balance
  from unnest(leg_entry, leg_person, leg_account, leg_tokens, leg_balance)
    as t(entry, person, account, tokens, balance)
  where t.entry is not null;
  update ledger.accounts a set balance = t.balance
  from unnest(people, accounts, balances) as t(person_id, account, balance)
  where a.operator_id = me and a.person_id = t.person_id and a.account = t.account
    and a.balance <> t.balance;
  return outcomes;
end $$;

-- Posts operations in order and answers [{status, balances, period?, until?}] with the token balances of the
-- people they touch. An operation is {id, kind, parameterHash, memo, legs: [{person?, account, tokens, lot?,
-- split?}], money?, spends?, hold?, settles?, reverses?, facts}. A refusal never raises, so it voids nothing;
-- a fault (legs that do not sum to zero, an unknown person) raises and voids the batch. `apart` does all one
-- after the other.
create or replace function ledger.post(ops jsonb, now timestamptz, apart boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  ids uuid[];
  simple boolean[];
  has_forms boolean;
  has_reversals boolean;
  -- By leg.
  leg_op int[];
  leg_person bigint[];
  leg_account text[];
  leg_tokens bigint[];
  leg_split boolean[];
  leg_slot int[];
  -- By account.
  people bigint[];
  accounts text[];
  own int;
  balances bigint[];
  plain boolean[];
  op jsonb;
  outcome jsonb;
  outcomes jsonb[];
begin
  select array_agg((o.one ->> 'id')::uuid),
    array_agg(not o.one ?| '{money,hold,settles,reverses,spends}'::text[]),
    bool_or(o.one ?| '{settles,reverses}'::text[]), bool_or(o.one ? 'reverses')
  into ids, simple, has_forms, has_reversals from jsonb_array_elements(ops) as o(one);
  -- Money alone has no legs.
  select coalesce(array_agg(o.nth), '{}'), coalesce(array_agg((l.leg ->> 'person')::bigint), '{}'),
    coalesce(array_agg(l.leg ->> 'account'), '{}'), coalesce(array_agg((l.leg ->> 'tokens')::bigint), '{}'),
    coalesce(array_agg(l.leg ? 'split'), '{}')
  into leg_op, leg_person, leg_account, leg_tokens, leg_split
  from jsonb_array_elements(ops) with ordinality as o(one, nth)
  cross join lateral jsonb_array_elements(o.one -> 'legs') as l(leg);

  select coalesce(array_agg(t.person_id), '{}'), coalesce(array_agg(t.account), '{}')
  into people, accounts from (
    select t.person_id, t.account collate "C" from (
      select l.person_id, l.account from unnest(leg_person, leg_account) as l(person_id, account)
      where l.person_id is not null
      union
      select r.person_id, r.account
      from ledger.touched_by_rows(me, ops, leg_person, has_forms, true = any(leg_split)) r) t
    order by t.account = 'earnings', 1, 2) t;
  -- Earnings come last in the order of locks.
  select count(*) into own from unnest(accounts) as t(account) where t.account <> 'earnings';
  balances := ledger.lock_accounts(me, people[:own], accounts[:own]);

  -- What a reversal takes back is not known yet: beside one, nothing is done at once.
  if not apart and not has_reversals then
    select coalesce(array_agg(t.nth order by l.nth), '{}') into leg_slot
    from unnest(leg_person, leg_account) with ordinality as l(person_id, account, nth)
    left join unnest(people, accounts) with ordinality as t(person_id, account, nth)
      on t.person_id = l.person_id and t.account = l.account;
    plain := ledger.find_plain(me, ids, simple, leg_op, leg_person, leg_account, leg_tokens, leg_split,
      leg_slot, people, balances);
    if false = any(plain) then
      perform ledger.lock_accounts(me, people[own + 1:], accounts[own + 1:]);
    end if;
    if true = any(plain) then
      outcomes := ledger.enter_plain(me, ops, now, ids, plain, leg_op, leg_person, leg_account, leg_tokens,
        leg_slot, people, accounts, balances);
    end if;
  else
    perform ledger.lock_accounts(me, people[own + 1:], accounts[own + 1:]);
  end if;
  for nth in 1 .. jsonb_array_length(ops) loop
    continue when outcomes[nth] is not null;
    op := ops -> (nth - 1);
    outcome := ledger.decide(me, op, now);
    if outcome ->> 'status' in ('posted', 'duplicate') then
      outcome := outcome || jsonb_build_object('balances', ledger.balances_of(me, (op ->> 'id')::uuid));
    end if;
    outcomes[nth] := outcome;
  end loop;
  return to_jsonb(outcomes);
end $$;

revoke execute on all functions in schema ledger from public;
