-- Creates the accounts that are missing, locks all of them in the given order, and returns their balances.
-- Every batch uses the same order, so two batches never deadlock.
create or replace function ledger.lock_accounts(me bigint, people bigint[], accounts text[]) returns bigint[]
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
