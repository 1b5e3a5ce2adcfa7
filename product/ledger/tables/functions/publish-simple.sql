-- Publishes the balance changes of payers (`afters` are their new balances) and the facts of the
-- operations.
create or replace function ledger.publish_simple(
  ops jsonb, now timestamptz, entries bigint[], payers int[], amounts bigint[], afters bigint[],
  people bigint[]
) returns void language plpgsql as $$
declare
  names text[];
  keys text[];
  payloads jsonb[];
begin
  select array_agg(f.name), array_agg(f.key), array_agg(f.payload) into names, keys, payloads from (
    select o.nth, 0 as fact_nth, 'ledger.balanceChanged' as name, 'person:' || people[payers[o.nth]] as key,
      jsonb_build_object('operationId', o.one -> 'id', 'kind', o.one -> 'kind', 'changes',
        jsonb_build_array(jsonb_build_object(
          'personId', people[payers[o.nth]], 'tokens', afters[o.nth], 'change', -amounts[o.nth]))) as payload
    from jsonb_array_elements(ops) with ordinality as o(one, nth) where entries[o.nth] is not null
    union all
    select o.nth, f.nth, f.fact ->> 'name', f.fact ->> 'key', f.fact -> 'payload'
    from jsonb_array_elements(ops) with ordinality as o(one, nth)
    cross join lateral jsonb_array_elements(o.one -> 'facts') with ordinality as f(fact, nth)
    where entries[o.nth] is not null
    order by 1, 2) f;
  perform platform.publish_rows(names, keys, payloads, now);
end $$;
