-- Accounts that the legs would overdraw, and by how many tokens: what their owners would have to borrow.
create or replace function ledger.overdrafts(me bigint, op jsonb)
returns table (person_id bigint, account text, missing bigint) language sql stable as $$
  select leg.person_id, leg.account,
    case when leg.account = 'debt' then coalesce(a.balance, 0) + leg.tokens
      else -(coalesce(a.balance, 0) + leg.tokens) end
  from ledger.legs_of(op) leg
  left join ledger.accounts a
    on a.operator_id = me and a.person_id = leg.person_id and a.account = leg.account
  where leg.person_id is not null and case when leg.account = 'debt' then leg.tokens > 0
      and coalesce(a.balance, 0) + leg.tokens > 0 else coalesce(a.balance, 0) + leg.tokens < 0 end
$$;
