-- What an operation does beside its postings, unless it has a plan: spends lots, creates lots, records
-- their cover, opens a hold.
create or replace function ledger.apply_legs(me bigint, op jsonb, entry bigint) returns void
language plpgsql as $$
declare
  spending record;
  payout bigint;
  covered record;
begin
  for spending in
    select leg.person_id, -leg.tokens as tokens from ledger.legs_of(op) leg
    where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0
  loop
    perform ledger.spend_lots(me, spending.person_id, spending.tokens, entry);
  end loop;
  select s.payout_cents into payout from ledger.settings_of(me) s;
  select * into covered from ledger.shortfall(me, op);

  -- A credit without a lot is promotional: nothing becomes payable by omission.
  insert into ledger.lots (operator_id, person_id, journal_id, promotional, backing_cents, marketing_cents,
    receivable_cents, tokens, tokens_left)
  select me, leg.person_id, entry, coalesce(leg.promotional, true), coalesce(leg.backing_cents, 0),
    case when covered.marketing_cents > 0
      then greatest(0, leg.tokens * payout - coalesce(leg.backing_cents, 0)) else 0 end,
    case when op ? 'lends' then leg.tokens * payout else 0 end,
    leg.tokens, leg.tokens
  from ledger.legs_of(op) leg
  where leg.person_id is not null and leg.account = 'tokens' and leg.tokens > 0;

  if covered.cash_cents > 0 or covered.marketing_cents > 0 then
    insert into ledger.coverage (operator_id, journal_id, cash_cents, marketing_cents)
    values (me, entry, covered.cash_cents, covered.marketing_cents);
  end if;
  if covered.marketing_cents > 0 then
    update ledger.marketing m set booked_cents = m.booked_cents + covered.marketing_cents
    where m.operator_id = me;
  end if;
  if op ? 'hold' then
    insert into ledger.holds (operator_id, operation, journal_id, person_id, tokens, tokens_left, expires_at)
    select me, (op ->> 'id')::uuid, entry, leg.person_id, leg.tokens, leg.tokens,
      (op -> 'hold' ->> 'expiresAt')::timestamptz
    from ledger.legs_of(op) leg where leg.account = 'held';
  end if;
end $$;
