-- Posts operations in order and answers [{status, balances, period?, until?}] with the token balances of
-- the people they touch. An operation is {id, kind, parameterHash, memo, legs: [{person?, account, tokens,
-- lot?, split?}], money?, spends?, hold?, settles?, reverses?, facts}. A refusal never raises, so it voids
-- nothing. An error (legs that do not sum to zero, an unknown person) raises and voids the batch. Simple
-- operations are written together, the others one by one; `apart` writes all of them one by one. Row
-- estimates of JSON are far too high and would have it compiled, so JIT is off.
create or replace function ledger.post(ops jsonb, now timestamptz, apart boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  me constant bigint := platform.operator_id();
  ids uuid[];
  candidates boolean[];
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
  early int;
  balances bigint[];
  simple boolean[];
  op jsonb;
  outcome jsonb;
  outcomes jsonb[];
begin
  select array_agg((o.one ->> 'id')::uuid),
    array_agg(not o.one ?| '{money,hold,settles,reverses,spends}'::text[]),
    bool_or(o.one ?| '{settles,reverses}'::text[]), bool_or(o.one ? 'reverses')
  into ids, candidates, has_forms, has_reversals from jsonb_array_elements(ops) as o(one);
  -- An operation that moves only money has no legs.
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
      from ledger.related_accounts(me, ops, leg_person, has_forms, true = any(leg_split)) r) t
    order by t.account = 'earnings', 1, 2) t;
  -- Earnings are locked last.
  select count(*) into early from unnest(accounts) as t(account) where t.account <> 'earnings';
  balances := ledger.lock_accounts(me, people[:early], accounts[:early]);

  -- Which tokens a reversal takes is not known yet: beside one, operations are written one by one.
  if not apart and not has_reversals then
    select coalesce(array_agg(t.nth order by l.nth), '{}') into leg_slot
    from unnest(leg_person, leg_account) with ordinality as l(person_id, account, nth)
    left join unnest(people, accounts) with ordinality as t(person_id, account, nth)
      on t.person_id = l.person_id and t.account = l.account;
    simple := ledger.find_simple(me, ids, candidates, leg_op, leg_person, leg_account, leg_tokens, leg_split,
      leg_slot, people, balances);
    if false = any(simple) then
      perform ledger.lock_accounts(me, people[early + 1:], accounts[early + 1:]);
    end if;
    if true = any(simple) then
      outcomes := ledger.write_simple(me, ops, now, ids, simple, leg_op, leg_person, leg_account, leg_tokens,
        leg_slot, people, accounts, balances);
    end if;
  else
    perform ledger.lock_accounts(me, people[early + 1:], accounts[early + 1:]);
  end if;
  for nth in 1 .. jsonb_array_length(ops) loop
    continue when outcomes[nth] is not null;
    op := ops -> (nth - 1);
    outcome := ledger.post_one(me, op, now);
    if outcome ->> 'status' in ('posted', 'duplicate') then
      outcome := outcome || jsonb_build_object('balances', ledger.balances_of(me, (op ->> 'id')::uuid));
    end if;
    outcomes[nth] := outcome;
  end loop;
  return to_jsonb(outcomes);
end $$;

grant execute on function ledger.post to candela_app;
