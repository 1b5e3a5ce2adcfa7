-- Tokens that come to a person whom a chargeback blocked first pay what they owe. When nothing is owed any
-- more, the person may spend again.
create or replace function ledger.repay_debts(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  owing record;
begin
  for owing in
    select s.person_id, least(coalesce(t.balance, 0), coalesce(-d.balance, 0)) as tokens,
      coalesce(-d.balance, 0) as owed, exists (
        select from ledger.legs_of(op) leg
        where leg.person_id = s.person_id and leg.account = 'debt' and leg.tokens > 0) as paid
    from ledger.standings s
    left join ledger.accounts t on t.operator_id = me and t.person_id = s.person_id and t.account = 'tokens'
    left join ledger.accounts d on d.operator_id = me and d.person_id = s.person_id and d.account = 'debt'
    where s.operator_id = me and s.blocked_cause = 'chargeback' and s.person_id in (
      select leg.person_id from ledger.legs_of(op) leg
      where leg.account in ('tokens', 'debt') and leg.tokens > 0)
    order by 1
  loop
    if owing.tokens > 0 then
      perform ledger.write_caused_entry(
        me, entry, op ->> 'id', 'debt_repaid', owing.person_id, owing.tokens, now);
    end if;
    if owing.tokens = owing.owed and (owing.owed > 0 or owing.paid) then
      update ledger.standings s set blocked_cause = null, blocked_reason = null, blocked_at = null
      where s.operator_id = me and s.person_id = owing.person_id;
    end if;
  end loop;
end $$;
