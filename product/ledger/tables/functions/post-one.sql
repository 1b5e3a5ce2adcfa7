-- Posts one operation whose accounts are locked: recognises a repeated one, refuses one that may not
-- happen, writes the rest. Answers {status, until?, period?}. A session plans each statement once, perhaps
-- while its tables are nearly empty, and would scan them forever; all rows here are found by key, so scans
-- are off.
create or replace function ledger.post_one(me bigint, given jsonb, now timestamptz) returns jsonb
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
declare
  known_hash text;
  entry bigint;
  op jsonb;
  refused jsonb;
  debt record;
begin
  loop
    select j.parameter_hash into known_hash from ledger.journal j
    where j.operator_id = me and j.operation = (given ->> 'id')::uuid;
    if found then
      return jsonb_build_object(
        'status', case when known_hash = given ->> 'parameterHash' then 'duplicate' else 'mismatch' end);
    end if;
    -- Only `resolve` sets these fields, whatever the caller sent.
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
    -- Another session has just posted the same operation: compare with it.
  end loop;
  for debt in select o.person_id, o.missing from ledger.overdrafts(me, op) o order by 1 loop
    perform ledger.write_caused_entry(me, entry, op ->> 'id', 'post_pay', debt.person_id, debt.missing, now);
  end loop;
  perform ledger.write_entry(me, op, entry, now);
  perform ledger.repay_debts(me, op, entry, now);
  return '{"status": "posted"}';
end $$;
