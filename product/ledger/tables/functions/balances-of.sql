-- Token balances of the people an operation touched. PL/pgSQL plans it once for each session, perhaps while
-- its tables are nearly empty; as in `post_one`, scans are off.
create or replace function ledger.balances_of(me bigint, operation uuid) returns jsonb
language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off
as $$
begin
  return (
    select coalesce(jsonb_object_agg(p.person_id, coalesce(a.balance, 0)), '{}') from (
      select distinct p.person_id from ledger.journal j
      join ledger.postings p on p.operator_id = me and p.journal_id = j.id
      where j.operator_id = me and j.operation = $2 and p.person_id is not null) p
    left join ledger.accounts a
      on a.operator_id = me and a.person_id = p.person_id and a.account = 'tokens');
end $$;
