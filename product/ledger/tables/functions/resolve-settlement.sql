-- What a settlement moves: tokens of the hold to those who earn, and the rest back to the person when it
-- closes. In the plan, `gives` are the lots that get tokens back, `settled` those that are spent for good.
create or replace function ledger.resolve_settlement(me bigint, op jsonb, now timestamptz) returns jsonb
language plpgsql as $$
declare
  hold ledger.holds;
  taken bigint;
  rest bigint := 0;
  settled jsonb;
  gives jsonb := '[]';
  legs jsonb;
begin
  select * into hold from ledger.holds h
  where h.operator_id = me and h.operation = (op -> 'settles' ->> 'hold')::uuid for update;
  select coalesce(-sum(leg.tokens), 0) into taken from ledger.legs_of(op) leg where leg.account = 'held';
  -- Everything can be released after the hold expired, too: that is how an expired hold ends.
  if hold is null or hold.closed_at is not null or (taken > 0 and hold.expires_at <= now) then
    return ledger.refused('hold_closed');
  end if;
  if exists (
    select from ledger.legs_of(op) leg
    where leg.account in ('tokens', 'debt')
      or leg.account = 'held' and (leg.person_id <> hold.person_id or leg.tokens > 0)
  ) then
    raise exception 'a settlement takes from its own hold alone';
  end if;
  if taken > hold.tokens_left then
    return ledger.refused('insufficient');
  end if;
  if (op -> 'settles' ->> 'close')::boolean then
    rest := hold.tokens_left - taken;
  end if;

  with held as (
    select d.lot_id, l.promotional, d.tokens - coalesce((
      select sum(s.tokens) from ledger.hold_draws s
      where s.operator_id = me and s.hold_journal_id = hold.journal_id and s.lot_id = d.lot_id), 0)::bigint
      as tokens
    from ledger.draws d
    join ledger.lots l on l.operator_id = me and l.id = d.lot_id
    where d.operator_id = me and d.journal_id = hold.journal_id
  ), summed as (
    select k.*, (sum(k.tokens) over (order by k.promotional desc, k.lot_id))::bigint - k.tokens as before
    from held k where k.tokens > 0
  ), parts as (
    select s.lot_id, greatest(0, least(s.tokens, taken - s.before)) as spent,
      s.tokens - greatest(0, least(s.tokens, taken - s.before)) as back
    from summed s
  )
  select coalesce(
      jsonb_agg(jsonb_build_object('lot', p.lot_id, 'tokens', p.spent)) filter (where p.spent > 0), '[]'),
    coalesce(jsonb_agg(jsonb_build_object('lot', p.lot_id, 'tokens', p.back)) filter (where p.back > 0), '[]')
  into settled, gives from parts p;
  if rest = 0 then
    gives := '[]';
  end if;

  select coalesce(jsonb_agg(leg), '[]') into legs
  from jsonb_array_elements(ledger.split_legs(me, op -> 'legs', now)) leg where leg ->> 'account' <> 'held';
  if taken + rest > 0 then
    legs := legs || jsonb_build_array(
      jsonb_build_object('person', hold.person_id, 'account', 'held', 'tokens', -taken - rest));
  end if;
  if rest > 0 then
    legs := legs || jsonb_build_array(
      jsonb_build_object('person', hold.person_id, 'account', 'tokens', 'tokens', rest));
  end if;
  return jsonb_build_object('legs', legs, 'money', op -> 'money', 'spending', -1, 'countedAt', (
      select j.at from ledger.journal j where j.operator_id = me and j.id = hold.journal_id),
    'plan', jsonb_build_object('gives', gives, 'settled', settled,
      'holdJournal', hold.journal_id, 'taken', taken, 'close', (op -> 'settles' ->> 'close')::boolean));
end $$;
