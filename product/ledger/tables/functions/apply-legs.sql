-- What an operation does beside its postings, unless it has a plan: spends lots, creates lots, records
-- their cover, opens a hold. Promotional tokens go first, unless somebody would earn too many of them.
create or replace function ledger.apply_legs(me bigint, op jsonb, entry bigint, now timestamptz) returns void
language plpgsql as $$
declare
  spending record;
  room constant bigint := ledger.promotional_room(me, op, now);
  bought_first boolean := false;
  payout bigint;
  covered record;
begin
  if room is not null then
    select p.at_most > room into bought_first from ledger.promotional_part(me, op) p;
  end if;
  for spending in
    select leg.person_id, -leg.tokens as tokens from ledger.legs_of(op) leg
    where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0
  loop
    perform ledger.spend_lots(me, spending.person_id, spending.tokens, entry, bought_first);
  end loop;
  if room is not null then
    perform ledger.count_promotional(me, op, entry, now, (
      select coalesce(sum(d.tokens), 0)::bigint from ledger.draws d
      join ledger.lots l on l.operator_id = me and l.id = d.lot_id and l.promotional
      where d.operator_id = me and d.journal_id = entry), (
      select -sum(leg.tokens)::bigint from ledger.legs_of(op) leg
      where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0));
  end if;
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
