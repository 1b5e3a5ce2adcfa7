-- An entry that the ledger makes because of another: tokens lent to a post-pay member, a debt repaid.
create or replace function ledger.write_caused_entry(
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
  -- Whoever may owe only since this batch began has no such account yet.
  insert into ledger.accounts (operator_id, person_id, account) values (me, person, 'debt')
  on conflict do nothing;
  insert into ledger.journal (operator_id, operation, kind, parameter_hash, memo, at, cause_id)
  values (me, id, kind, operation, memo, now, cause) returning journal.id into made;
  perform ledger.write_entry(me, jsonb_build_object(
    'id', id, 'kind', kind, 'spending', 0, 'facts', '[]'::jsonb,
    'legs', jsonb_build_array(
      jsonb_build_object('person', person, 'account', 'debt', 'tokens', -change),
      jsonb_build_object('person', person, 'account', 'tokens', 'tokens', change,
        'lot', jsonb_build_object('promotional', false, 'backingCents', 0))
    )) || case when lent then '{"lends": true}'::jsonb else '{}'::jsonb end, made, now);
end $$;
