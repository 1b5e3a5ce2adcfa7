-- Accounts that an operation may change and that its legs do not name: those of holds and of reversed
-- entries, earnings of people with a share, debts of people who may owe or do.
create or replace function ledger.related_accounts(
  me bigint, ops jsonb, people bigint[], has_forms boolean, has_splits boolean
) returns table (person_id bigint, account text) language plpgsql stable as $$
begin
  return query select t.person_id, unnest(array['tokens', 'debt']) from ledger.standings t
    where t.operator_id = me and t.person_id = any(people)
      and (t.credit_tokens > 0 or t.blocked_cause = 'chargeback');
  if has_forms then
    return query select h.person_id, unnest(array['tokens', 'held', 'debt'])
      from jsonb_array_elements(ops) one join ledger.holds h
        on h.operator_id = me and h.operation = (one -> 'settles' ->> 'hold')::uuid;
    return query select p.person_id, unnest(array[p.account, 'tokens', 'debt'])
      from jsonb_array_elements(ops) one
      join ledger.journal j on j.operator_id = me and j.operation = (one -> 'reverses' ->> 'operation')::uuid
      join ledger.postings p on p.operator_id = me and p.journal_id = j.id
      where p.person_id is not null;
  end if;
  if has_splits then
    return query select (share ->> 'person')::bigint, 'earnings'
      from ledger.splits s cross join lateral jsonb_array_elements(s.shares) share
      where s.operator_id = me and s.performer_id = any(people) and share ->> 'person' is not null;
  end if;
end $$;
