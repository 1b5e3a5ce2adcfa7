-- A batch at once: plain spends are done with a handful of statements for all of them, whatever else comes is
-- done one after the other behind them. The outcome is that of some order in which each person's own
-- operations keep theirs.

-- A lot that is drawn from stays in its place of the index until it is empty, and so do rows that only change
-- a balance: updates that touch no index are cheap.
alter table ledger.lots add column is_open boolean generated always as (tokens_left > 0) stored;
drop index ledger.lots_open;
create index lots_open on ledger.lots (operator_id, person_id, promotional desc, id) where is_open;
alter table ledger.lots set (fillfactor = 70);
alter table ledger.accounts set (fillfactor = 50);
-- Only the functions here write these rows, an entry and all that belongs to it at once; to look each of them
-- up again cost a fifth of a batch. `ledger.faults` finds what would belong to nothing.
-- A posting is found by its entry or its account, never by its number alone.
alter table ledger.postings
  drop constraint postings_pkey, drop constraint postings_operator_id_journal_id_fkey,
  drop constraint postings_operator_id_person_id_account_fkey;
alter table ledger.draws
  drop constraint draws_operator_id_journal_id_fkey, drop constraint draws_operator_id_lot_id_fkey;

-- Enters the plain spends of a batch all at once and answers their outcomes by place, null for what is left
-- to `decide`. Plain is what has one payer, who has enough for all they spend in the batch and nothing that
-- limits them, and gives to earnings and to the operator. Nobody overtakes themselves: who has
-- anything in the batch that is not plain has nothing plain. The accounts are locked.
create function ledger.enter_plain(me bigint, ops jsonb, now timestamptz) returns jsonb[]
language plpgsql as $$
declare
  outcomes jsonb[];
  covered boolean;
  names text[];
  keys text[];
  payloads jsonb[];
begin
  with op as materialized (
    select e.nth, (e.one ->> 'id')::uuid as id, e.one,
      not e.one ?| '{money,hold,settles,reverses,spends}'::text[] as is_simple
    from jsonb_array_elements(ops) with ordinality as e(one, nth)
  ), leg as materialized (
    select o.nth, (l ->> 'person')::bigint as person, l ->> 'account' as account,
      (l ->> 'tokens')::bigint as tokens, l ? 'split' as is_split
    from op o cross join lateral jsonb_array_elements(o.one -> 'legs') l
  ), shaped as (
    select l.nth, count(*) filter (where l.tokens < 0) = 1 and count(*) > 1 and sum(l.tokens) = 0
      and bool_and(
        case when l.tokens < 0 then l.person is not null and l.account = 'tokens'
          when l.person is null then l.account in ('fees', 'grants', 'promo', 'float', 'losses')
          else l.account = 'earnings' and not (l.is_split and exists (
            select from ledger.splits s where s.operator_id = me and s.performer_id = l.person))
        end) as is_plain
    from leg l group by l.nth
  ), formed as materialized (
    -- The same id twice in a batch is for `decide`.
    select o.nth,
      o.is_simple and coalesce(s.is_plain, false) and count(*) over (partition by o.id) = 1 as is_plain
    from op o left join shaped s on s.nth = o.nth
  ), payer as materialized (
    select spent.person, a.balance from (
      select l.person, -sum(l.tokens) filter (where l.tokens < 0) as tokens, bool_and(f.is_plain) as is_plain
      from leg l join formed f on f.nth = l.nth
      where l.person is not null and l.account <> 'earnings' group by l.person) spent
    join ledger.accounts a
      on a.operator_id = me and a.person_id = spent.person and a.account = 'tokens'
        and a.balance >= spent.tokens
    where spent.is_plain
      and not exists (select from ledger.standings t where t.operator_id = me and t.person_id = spent.person)
      and not exists (select from ledger.budgets b where b.operator_id = me and b.person_id = spent.person)
  ), entered as (
    insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, facts, spending)
    select me, o.id, o.one ->> 'kind', o.one ->> 'parameterHash', o.one -> 'memo', now,
      coalesce(o.one -> 'facts', '[]'), 1
    from op o join formed f on f.nth = o.nth and f.is_plain
    join leg l on l.nth = o.nth and l.tokens < 0 join payer p on p.person = l.person
    -- What a reversal takes back is not known yet.
    where not exists (select from op any_op where any_op.one ? 'reverses')
    order by o.nth
    on conflict (operator_id, operation) do nothing
    returning journal.id, journal.operation
  ), entry as materialized (
    select e.id as journal_id, o.nth, o.id, o.one from entered e join op o on o.id = e.operation
  ), moved as materialized (
    select e.journal_id, l.nth, l.person, l.account, l.tokens,
      (sum(l.tokens) over (partition by l.person, l.account order by l.nth))::bigint as so_far
    from entry e join leg l on l.nth = e.nth
  ), booked as materialized (
    select s.person, s.account, s.tokens, a.balance
    from (select m.person, m.account, sum(m.tokens)::bigint as tokens from moved m
      where m.person is not null group by m.person, m.account) s
    join ledger.accounts a on a.operator_id = me and a.person_id = s.person and a.account = s.account
  ), posted as (
    insert into ledger.postings (operator_id, journal_id, person_id, account, tokens, balance)
    select me, m.journal_id, m.person, m.account, m.tokens, b.balance + m.so_far
    from moved m left join booked b on b.person = m.person and b.account = m.account
    order by m.nth, m.tokens
  ), changed as (
    update ledger.accounts a set balance = a.balance + b.tokens from booked b
    where a.operator_id = me and a.person_id = b.person and a.account = b.account
  ), debit as materialized (
    select m.nth, m.journal_id, m.person, m.tokens, p.balance + m.so_far as balance,
      -m.so_far + m.tokens as start, -m.so_far as stop
    from moved m join payer p on p.person = m.person where m.tokens < 0
  ), open_lot as (
    select l.id, l.person_id, l.tokens_left,
      (sum(l.tokens_left) over (partition by l.person_id order by l.promotional desc, l.id))::bigint as stop
    from ledger.lots l
    where l.operator_id = me and l.is_open and l.person_id in (select d.person from debit d)
  ), part as materialized (
    -- Each spend takes the lots it overlaps when both are laid end to end.
    select d.journal_id, l.id as lot_id,
      least(d.stop, l.stop) - greatest(d.start, l.stop - l.tokens_left) as tokens
    from debit d join open_lot l
      on l.person_id = d.person and l.stop > d.start and l.stop - l.tokens_left < d.stop
  ), drawn as (
    insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
    select me, p.journal_id, p.lot_id, p.tokens from part p
  ), spent as (
    update ledger.lots l set tokens_left = l.tokens_left - s.tokens
    from (select p.lot_id, sum(p.tokens)::bigint as tokens from part p group by p.lot_id) s
    where l.operator_id = me and l.id = s.lot_id
  ), told as (
    select d.nth, 0 as place, 'ledger.balanceChanged' as name, 'person:' || d.person as key,
      jsonb_build_object('operationId', e.id, 'kind', e.one -> 'kind', 'changes', jsonb_build_array(
        jsonb_build_object('personId', d.person, 'tokens', d.balance, 'change', d.tokens))) as payload
    from entry e join debit d on d.nth = e.nth
    union all
    select e.nth, f.place, f.fact ->> 'name', f.fact ->> 'key', f.fact -> 'payload'
    from entry e cross join lateral jsonb_array_elements(e.one -> 'facts') with ordinality as f(fact, place)
  ), earner as (
    -- Who earns is told what they can spend, too.
    select m.person, coalesce(max(t.balance), 0) as balance from moved m
    left join ledger.accounts t on t.operator_id = me and t.person_id = m.person and t.account = 'tokens'
    where m.account = 'earnings' and not exists (select from debit d where d.person = m.person)
    group by m.person
  ), shown as (
    select d.nth, d.person, d.balance from debit d
    union all
    select m.nth, m.person, r.balance from moved m join earner r on r.person = m.person
    union all
    -- Who pays in this batch and earns from another: as of that payment.
    select m.nth, m.person, p.balance + coalesce((
      select sum(d.tokens) from debit d where d.person = m.person and d.nth <= m.nth), 0)::bigint
    from moved m join payer p on p.person = m.person
    where m.account = 'earnings' and exists (select from debit d where d.person = m.person)
  ), outcome as (
    select s.nth, jsonb_build_object(
      'status', 'posted', 'balances', jsonb_object_agg(s.person, s.balance)) as answer
    from shown s group by s.nth
  )
  select
    (select array_agg(outcome.answer order by o.nth) from op o left join outcome on outcome.nth = o.nth),
    (select coalesce(sum(p.tokens), 0) from part p) = (select coalesce(-sum(d.tokens), 0) from debit d)
      and (select count(*) from entered) = (select count(*) from debit),
    t.names, t.keys, t.payloads
  into outcomes, covered, names, keys, payloads
  from (select array_agg(one.name order by one.nth, one.place) as names,
    array_agg(one.key order by one.nth, one.place) as keys,
    array_agg(one.payload order by one.nth, one.place) as payloads from told one) t;
  if not covered then
    raise exception 'the lots of a batch do not cover what it spends';
  end if;
  perform platform.announce(names, keys, payloads, now);
  return outcomes;
end $$;

-- Posts operations in order and answers [{status, balances, period?, until?}] with the token balances of the
-- people they touch. An operation is {id, kind, parameterHash, memo, legs: [{person?, account, tokens, lot?,
-- split?}], money?, spends?, hold?, settles?, reverses?, facts}. A refusal never raises, so it voids nothing;
-- a fault (legs that do not sum to zero, an unknown person) raises and voids the batch. `apart` does all one
-- after the other.
create function ledger.post(ops jsonb, now timestamptz, apart boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  people bigint[];
  accounts text[];
  op jsonb;
  outcome jsonb;
  outcomes jsonb[];
begin
  select array_agg(t.person_id), array_agg(t.account) into people, accounts
  from ledger.touched(me, ops) t;
  insert into ledger.accounts (operator_id, person_id, account)
  select me, t.person_id, t.account from unnest(people, accounts) as t(person_id, account)
  where not exists (select from ledger.accounts a
    where a.operator_id = me and a.person_id = t.person_id and a.account = t.account)
  order by 2, 3
  on conflict do nothing;
  -- All are locked first and in one order, so that two batches never wait for each other in a ring.
  perform from ledger.accounts a join unnest(people, accounts) as t(person_id, account)
    on a.person_id = t.person_id and a.account = t.account
  where a.operator_id = me
  order by a.person_id, a.account
  for update of a;

  if not apart then
    outcomes := ledger.enter_plain(me, ops, now);
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
grant execute on function ledger.post(jsonb, timestamptz, boolean) to candela_app;
