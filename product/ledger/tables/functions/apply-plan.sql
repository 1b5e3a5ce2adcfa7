-- What a settlement or a reversal does beside its postings: moves lots, updates the hold, records what was
-- reversed, blocks spending after a chargeback.
create or replace function ledger.apply_plan(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  plan constant jsonb := op -> 'plan';
begin
  perform ledger.move_lots(me, coalesce(plan -> 'takes', '[]'), 1, entry);
  perform ledger.move_lots(me, coalesce(plan -> 'gives', '[]'), -1, entry);
  if plan ? 'holdJournal' then
    insert into ledger.hold_draws (operator_id, journal_id, hold_journal_id, lot_id, tokens)
    select me, entry, (plan ->> 'holdJournal')::bigint, (part ->> 'lot')::bigint, (part ->> 'tokens')::bigint
    from jsonb_array_elements(plan -> 'settled') part;
    perform ledger.count_promotional(me, op, entry, now, (
      select coalesce(sum(d.tokens), 0)::bigint from ledger.hold_draws d
      join ledger.lots l on l.operator_id = me and l.id = d.lot_id and l.promotional
      where d.operator_id = me and d.journal_id = entry), (plan ->> 'taken')::bigint);
    update ledger.holds h set
      tokens_left = case when (plan ->> 'close')::boolean then 0
        else h.tokens_left - (plan ->> 'taken')::bigint end,
      closed_at = case when (plan ->> 'close')::boolean then now end
    where h.operator_id = me and h.journal_id = (plan ->> 'holdJournal')::bigint;
    return;
  end if;
  insert into ledger.reversals (operator_id, reversed_id, journal_id, mode, part_tokens)
  values (me, (plan ->> 'reversed')::bigint, entry, plan ->> 'mode', (plan ->> 'part')::bigint);
  insert into ledger.promotional_earnings (operator_id, person_id, day, journal_id, tokens)
  select me, e.person_id, e.day, entry, -e.tokens from ledger.promotional_earnings e
  where e.operator_id = me and e.journal_id = (plan ->> 'reversed')::bigint;
  if (plan ->> 'cash')::bigint <> 0 or (plan ->> 'marketing')::bigint <> 0 then
    insert into ledger.coverage (operator_id, journal_id, cash_cents, marketing_cents)
    values (me, entry, (plan ->> 'cash')::bigint, (plan ->> 'marketing')::bigint);
    update ledger.marketing m set booked_cents = m.booked_cents + (plan ->> 'marketing')::bigint
    where m.operator_id = me;
  end if;
  if plan ->> 'mode' = 'chargeback' then
    insert into ledger.standings (operator_id, person_id, blocked_cause, blocked_reason, blocked_at)
    select distinct me, leg.person_id, 'chargeback', op ->> 'id', now
    from ledger.legs_of(op) leg where leg.person_id is not null and leg.account in ('tokens', 'debt')
    order by 2
    on conflict (operator_id, person_id) do update set blocked_cause = excluded.blocked_cause,
      blocked_reason = excluded.blocked_reason, blocked_at = excluded.blocked_at
    where standings.blocked_cause is null;
  end if;
end $$;
