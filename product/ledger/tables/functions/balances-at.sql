-- Every balance at a moment of the past, from postings alone. `person_id` is null for the operator's
-- accounts. It reads every posting, so it joins by hash whatever is estimated: statistics that are older
-- than an operator say that it has no rows, and then a nested loop looks cheap.
create or replace function ledger.balances_at(at timestamptz)
returns table (person_id bigint, account text, tokens bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
set enable_nestloop = off as $$
  select p.person_id, p.account, sum(p.tokens)::bigint
  from ledger.postings p join ledger.journal j on j.operator_id = p.operator_id and j.id = p.journal_id
  where p.operator_id = platform.operator_id() and j.at <= $1
  group by p.person_id, p.account having sum(p.tokens) <> 0
$$;

grant execute on function ledger.balances_at to candela_app;
