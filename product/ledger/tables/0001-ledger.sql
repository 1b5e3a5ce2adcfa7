-- Tokens in double entry. Only ledger.post writes here: the application role may read, and call it.
create schema ledger;

-- Balances of people, the ones that authorize spending. The operator's own accounts have no cached balance:
-- every tip would queue for their row. Theirs is the sum of their postings.
create table ledger.accounts (
  operator_id bigint not null,
  person_id bigint not null,
  account text not null check (account in ('tokens', 'earnings')),
  balance bigint not null default 0 check (balance >= 0),
  primary key (operator_id, person_id, account),
  foreign key (operator_id, person_id) references accounts.people
);

-- One row per operation that happened. The operation id stays unique for ever.
create table ledger.journal (
  operator_id bigint not null,
  id bigint generated always as identity,
  operation uuid not null,
  kind text not null,
  parameter_hash text not null,
  memo jsonb not null,
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, operation)
);

-- What an operation moved: its rows sum to zero. `person_id` is null for the operator's own accounts.
create table ledger.postings (
  operator_id bigint not null,
  id bigint generated always as identity,
  journal_id bigint not null,
  person_id bigint,
  account text not null,
  tokens bigint not null check (tokens <> 0),
  -- The balance after it; null for the operator's own accounts.
  balance bigint check (balance >= 0),
  primary key (operator_id, id),
  foreign key (operator_id, journal_id) references ledger.journal,
  foreign key (operator_id, person_id, account) references ledger.accounts,
  check ((person_id is null) = (balance is null)),
  check (person_id is not null or account in ('fees', 'grants', 'promo', 'float'))
);
-- An account has one leg in an operation; several would hide each other.
create unique index postings_of_operation on ledger.postings (operator_id, journal_id, person_id, account)
  nulls not distinct;
create index postings_of_account on ledger.postings (operator_id, person_id, account, id);

-- Where a person's spendable tokens came from: the open lots of a person sum to the balance of `tokens`.
create table ledger.lots (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  journal_id bigint not null,
  -- Given, not bought: spent first.
  promotional boolean not null,
  -- Money received for the whole lot, in US cents; a grant has none.
  backing_cents bigint not null check (backing_cents >= 0),
  tokens bigint not null check (tokens > 0),
  tokens_left bigint not null check (tokens_left between 0 and tokens),
  primary key (operator_id, id),
  foreign key (operator_id, journal_id) references ledger.journal,
  check (not promotional or backing_cents = 0)
);
create index lots_open on ledger.lots (operator_id, person_id, promotional desc, id) where tokens_left > 0;

-- Which lots an operation spent.
create table ledger.draws (
  operator_id bigint not null,
  journal_id bigint not null,
  lot_id bigint not null,
  tokens bigint not null check (tokens > 0),
  primary key (operator_id, journal_id, lot_id),
  foreign key (operator_id, journal_id) references ledger.journal,
  foreign key (operator_id, lot_id) references ledger.lots
);

-- Development grants a person took on a day (UTC).
create table ledger.demo_grants (
  operator_id bigint not null,
  person_id bigint not null,
  day date not null,
  taken int not null,
  primary key (operator_id, person_id, day)
);

select platform.own_table('ledger.accounts', 'select');
select platform.own_table('ledger.journal', 'select');
select platform.own_table('ledger.postings', 'select');
select platform.own_table('ledger.lots', 'select');
select platform.own_table('ledger.draws', 'select');
select platform.own_table('ledger.demo_grants', 'select', 'insert', 'update');

-- History is added to, never changed, not even by the owner of the schema.
create function ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger.% is append-only', tg_table_name;
end $$;
create trigger append_only before update or delete or truncate on ledger.journal
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.postings
  for each statement execute function ledger.refuse_change();
create trigger append_only before update or delete or truncate on ledger.draws
  for each statement execute function ledger.refuse_change();

-- Postings of an operation arrive in one statement, so this sees all of them.
create function ledger.check_zero_sum() returns trigger language plpgsql as $$
begin
  if exists (
    select from added group by operator_id, journal_id having sum(tokens) <> 0 or count(*) < 2
  ) then
    raise exception 'the postings of an operation sum to zero';
  end if;
  return null;
end $$;
create trigger zero_sum after insert on ledger.postings referencing new table as added
  for each statement execute function ledger.check_zero_sum();

-- The legs of an operation as rows; raises when a number is none. SQL, so that the planner takes it apart.
create function ledger.legs_of(op jsonb)
returns table (person_id bigint, account text, tokens bigint, promotional boolean, backing_cents bigint)
language sql immutable as $$
  select (leg ->> 'person')::bigint, leg ->> 'account', (leg ->> 'tokens')::bigint,
    (leg -> 'lot' ->> 'promotional')::boolean, (leg -> 'lot' ->> 'backingCents')::bigint
  from jsonb_array_elements(op -> 'legs') as leg
$$;

-- Spends tokens of a person's lots: promotional ones first, then the oldest.
create function ledger.draw(me bigint, person bigint, needed bigint, entry bigint) returns void
language plpgsql as $$
declare
  drawn bigint;
begin
  with open_lots as (
    select l.id, l.tokens_left,
      sum(l.tokens_left) over (order by l.promotional desc, l.id) - l.tokens_left as before
    from ledger.lots l
    where l.operator_id = me and l.person_id = person and l.tokens_left > 0
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

-- Writes one operation that may happen: balances, postings, lots, facts. The accounts are locked.
create function ledger.enter(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  spend record;
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

  for spend in
    select leg.person_id, -leg.tokens as tokens from ledger.legs_of(op) leg
    where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0
  loop
    perform ledger.draw(me, spend.person_id, spend.tokens, entry);
  end loop;

  -- A credit that does not say where it comes from is promotional: nothing becomes payable by omission.
  insert into ledger.lots
    (operator_id, person_id, journal_id, promotional, backing_cents, tokens, tokens_left)
  select me, leg.person_id, entry, coalesce(leg.promotional, true), coalesce(leg.backing_cents, 0),
    leg.tokens, leg.tokens
  from ledger.legs_of(op) leg
  where leg.person_id is not null and leg.account = 'tokens' and leg.tokens > 0;

  select jsonb_agg(jsonb_build_object(
    'name', 'ledger.balanceChanged', 'key', 'person:' || p.person_id,
    'payload', jsonb_build_object('operationId', op ->> 'id', 'kind', op ->> 'kind', 'changes',
      jsonb_build_array(jsonb_build_object('personId', p.person_id, 'tokens', p.balance, 'change', p.tokens)))
    ) order by p.person_id) into changes
  from ledger.postings p
  where p.operator_id = me and p.journal_id = entry and p.person_id is not null and p.account = 'tokens';
  perform platform.announce(coalesce(changes, '[]') || (op -> 'facts'), now);
end $$;

-- Decides one operation: what happened before stays, what cannot be paid is refused, the rest is entered.
create function ledger.decide(me bigint, op jsonb, now timestamptz) returns text language plpgsql as $$
declare
  known_hash text;
  entry bigint;
begin
  loop
    select j.parameter_hash into known_hash from ledger.journal j
    where j.operator_id = me and j.operation = (op ->> 'id')::uuid;
    if found then
      return case when known_hash = op ->> 'parameterHash' then 'duplicate' else 'mismatch' end;
    end if;
    if exists (
      select from ledger.legs_of(op) leg
      join ledger.accounts a on a.operator_id = me and a.person_id = leg.person_id and a.account = leg.account
      where a.balance + leg.tokens < 0
    ) then
      return 'insufficient';
    end if;
    insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at)
    values (me, (op ->> 'id')::uuid, op ->> 'kind', op ->> 'parameterHash', op -> 'memo', now)
    on conflict (operator_id, operation) do nothing
    returning id into entry;
    exit when entry is not null;
    -- Another session entered the same operation in this very moment: look at it.
  end loop;
  perform ledger.enter(me, op, entry, now);
  return 'posted';
end $$;

-- Posts operations in order and answers [{status, balances}] with the token balances of the people they
-- touch. An operation is {id, kind, parameterHash, memo, legs: [{person?, account, tokens, lot?}], facts}. A
-- refusal never raises, so it voids nothing; a fault (legs that do not sum to zero, an unknown person) raises
-- and voids the batch.
create function ledger.post(ops jsonb, now timestamptz) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  op jsonb;
  status text;
  balances jsonb;
  outcomes jsonb := '[]';
begin
  -- All accounts of the batch are locked first and in one order, so two batches never wait for each other in
  -- a ring.
  insert into ledger.accounts (operator_id, person_id, account)
  select distinct me, leg.person_id, leg.account
  from jsonb_array_elements(ops) one, ledger.legs_of(one) leg
  where leg.person_id is not null
  order by 2, 3
  on conflict do nothing;
  perform from ledger.accounts a
  where a.operator_id = me and (a.person_id, a.account) in (
    select leg.person_id, leg.account from jsonb_array_elements(ops) one, ledger.legs_of(one) leg)
  order by a.person_id, a.account
  for update;

  for op in select one from jsonb_array_elements(ops) with ordinality as e(one, nth) order by nth loop
    status := ledger.decide(me, op, now);
    select coalesce(jsonb_object_agg(p.person_id, coalesce(a.balance, 0)), '{}') into balances
    from (select distinct leg.person_id from ledger.legs_of(op) leg where leg.person_id is not null) p
    left join ledger.accounts a
      on a.operator_id = me and a.person_id = p.person_id and a.account = 'tokens';
    outcomes := outcomes || jsonb_build_array(jsonb_build_object('status', status, 'balances', balances));
  end loop;
  return outcomes;
end $$;

revoke execute on all functions in schema ledger from public;
grant execute on function ledger.post(jsonb, timestamptz) to candela_app;
