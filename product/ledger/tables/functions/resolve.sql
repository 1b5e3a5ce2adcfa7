-- What an operation moves, with everything that depends on stored rows: {legs, money, spending, countedAt,
-- plan}, or {refused}.
create or replace function ledger.resolve(me bigint, op jsonb, now timestamptz) returns jsonb
language plpgsql as $$
declare
  paid boolean;
begin
  if op ? 'settles' then
    return ledger.resolve_settlement(me, op, now);
  end if;
  if op ? 'reverses' then
    return ledger.resolve_reversal(me, op);
  end if;
  if exists (select from ledger.legs_of(op) leg
    where leg.account = 'held' and not op ? 'hold' or leg.account = 'debt' and leg.tokens < 0)
  then
    raise exception 'held tokens move by holds, and debts grow by spending and chargebacks alone';
  end if;
  if op ? 'hold' and (
    select count(*) <> 2 or count(distinct leg.person_id) <> 1
      or count(*) filter (where leg.account = 'tokens' and leg.tokens < 0) <> 1
      or count(*) filter (where leg.account = 'held' and leg.tokens > 0) <> 1
    from ledger.legs_of(op) leg)
  then
    raise exception 'a hold moves tokens of one person to what is held of them';
  end if;
  select exists (
    select from ledger.legs_of(op) leg where leg.account = 'tokens' and leg.tokens < 0) into paid;
  return jsonb_build_object('legs', ledger.split_legs(me, op -> 'legs', now), 'money', op -> 'money',
    'spending', case when paid and coalesce((op ->> 'spends')::boolean, true) then 1 else 0 end,
    'plan', null);
end $$;
