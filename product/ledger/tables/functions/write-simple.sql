-- Writes the simple operations of a batch together and answers their outcomes by position, null for those
-- that are left to `post_one`. `leg_slot` is the position of a leg's account in `people` and `accounts`,
-- null for the operator's. The first accounts, as many as there are balances, are locked already. The rest
-- are earnings and are locked as late as possible: a room that tips one performer runs two batches at
-- once, and only what follows that lock is serial.
create or replace function ledger.write_simple(
  me bigint, ops jsonb, now timestamptz, ids uuid[], simple boolean[], leg_op int[], leg_person bigint[],
  leg_account text[], leg_tokens bigint[], leg_slot int[], people bigint[], accounts text[], balances bigint[]
) returns jsonb[] language plpgsql as $$
declare
  size constant int := cardinality(ids);
  legs constant int := cardinality(leg_op);
  early constant int := cardinality(balances);
  entries bigint[];
  payers int[] := array_fill(null::int, array[size]);
  amounts bigint[] := array_fill(null::bigint, array[size]);
  afters bigint[] := array_fill(null::bigint, array[size]);
  leg_entry bigint[] := array_fill(null::bigint, array[legs]);
  leg_balance bigint[] := array_fill(null::bigint, array[legs]);
  -- By account of earnings: the position of the person's spendable tokens, or else how many there are.
  spend_slots int[];
  spend_balances bigint[];
  shown jsonb[] := array_fill('{}'::jsonb, array[size]);
  outcomes jsonb[] := array_fill(null::jsonb, array[size]);
  nth int;
  slot int;
begin
  with written as (
    insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, facts, spending)
    select me, ids[o.nth], o.one ->> 'kind', o.one ->> 'parameterHash', o.one -> 'memo', now,
      coalesce(o.one -> 'facts', '[]'), 1
    from jsonb_array_elements(ops) with ordinality as o(one, nth) where simple[o.nth]
    order by o.nth
    on conflict (operator_id, operation) do nothing
    returning journal.id, journal.operation
  )
  select array_agg(e.id order by t.nth) into entries
  from unnest(ids) with ordinality as t(id, nth) left join written e on e.operation = t.id;
  select array_agg(s.nth order by t.nth), array_agg(coalesce(a.balance, 0) order by t.nth)
  into spend_slots, spend_balances
  from unnest(people[early + 1:]) with ordinality as t(person_id, nth)
  left join unnest(people[:early], accounts[:early]) with ordinality as s(person_id, account, nth)
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
      -- The outcome names the spendable tokens of those who earn, too.
      shown[nth] := shown[nth] || jsonb_build_object(people[slot],
        coalesce(balances[spend_slots[slot - early]], spend_balances[slot - early]));
    end if;
  end loop;
  for i in 1 .. size loop
    continue when entries[i] is null;
    outcomes[i] := jsonb_build_object('status', 'posted', 'balances',
      shown[i] || jsonb_build_object(people[payers[i]], afters[i]));
  end loop;
  perform ledger.spend_lots_of_batch(me, entries, payers, amounts, people);
  perform ledger.publish_simple(ops, now, entries, payers, amounts, afters, people);

  balances := balances || ledger.lock_accounts(me, people[early + 1:], accounts[early + 1:]);
  for i in 1 .. legs loop
    slot := leg_slot[i];
    if slot > early and leg_entry[i] is not null then
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
