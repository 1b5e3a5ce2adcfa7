-- Writes a resolved operation: balances, postings, money, lots, facts. Its accounts are locked.
create or replace function ledger.write_entry(me bigint, op jsonb, entry bigint, now timestamptz) returns void
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
    perform ledger.apply_plan(me, op, entry, now);
  else
    perform ledger.apply_legs(me, op, entry, now);
  end if;
  perform ledger.count_spending(me, op, now);

  select jsonb_agg(jsonb_build_object(
    'name', 'ledger.balanceChanged', 'key', 'person:' || p.person_id,
    'payload', jsonb_build_object('operationId', op ->> 'id', 'kind', op ->> 'kind', 'changes',
      jsonb_build_array(jsonb_build_object('personId', p.person_id, 'tokens', p.balance, 'change', p.tokens)))
    ) order by p.person_id) into changes
  from ledger.postings p
  where p.operator_id = me and p.journal_id = entry and p.person_id is not null and p.account = 'tokens';
  perform platform.publish(coalesce(changes, '[]') || coalesce(op -> 'facts', '[]'), now);
end $$;
