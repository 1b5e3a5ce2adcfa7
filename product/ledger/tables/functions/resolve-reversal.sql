-- What the reversal of an entry moves: everything it moved, turned round. Tokens go back into the lots
-- they came from, and out of the lots that the entry created; what is spent of those is owed after a
-- chargeback. A partial reversal, and the rest after one, is `resolve_partial_reversal`.
create or replace function ledger.resolve_reversal(me bigint, op jsonb) returns jsonb language plpgsql as $$
declare
  old ledger.journal;
  charged boolean := op -> 'reverses' ->> 'mode' = 'chargeback';
  legs jsonb;
  gives jsonb;
  takes jsonb;
  money jsonb;
  covered ledger.coverage;
begin
  select * into old from ledger.journal j
  where j.operator_id = me and j.operation = (op -> 'reverses' ->> 'operation')::uuid;
  if old is null or old.cause_id is not null
    or exists (select from ledger.reversals r where r.operator_id = me
      and (r.reversed_id = old.id and r.part_tokens is null or r.journal_id = old.id))
    or exists (select from ledger.holds h where h.operator_id = me and h.journal_id = old.id)
  then
    return ledger.refused('not_reversible');
  end if;
  perform from ledger.lots l where l.operator_id = me and l.journal_id = old.id order by l.id for update;
  if op -> 'reverses' ? 'tokens' or exists (
    select from ledger.reversals r where r.operator_id = me and r.reversed_id = old.id)
  then
    return ledger.resolve_partial_reversal(me, op, old);
  end if;
  select * into covered from ledger.coverage c where c.operator_id = me and c.journal_id = old.id;
  if charged and coalesce(covered.cash_cents, 0) <= 0 then
    return ledger.refused('not_reversible');
  end if;
  if not charged and exists (select from ledger.lots l
    where l.operator_id = me and l.journal_id = old.id and l.tokens_left < l.tokens)
  then
    return ledger.refused('not_reversible');
  end if;

  select coalesce(jsonb_agg(jsonb_build_object('lot', l.id, 'tokens', l.tokens_left))
    filter (where l.tokens_left > 0), '[]')
  into takes from ledger.lots l where l.operator_id = me and l.journal_id = old.id;
  -- What a settlement spent is recorded with the hold, everything else with the entry itself.
  select coalesce(jsonb_agg(jsonb_build_object('lot', d.lot_id, 'tokens', d.tokens)), '[]') into gives from (
    select d.lot_id, d.tokens from ledger.draws d
    where d.operator_id = me and d.journal_id = old.id and d.tokens > 0
    union all
    select d.lot_id, d.tokens from ledger.hold_draws d where d.operator_id = me and d.journal_id = old.id) d;

  with changes as (
    -- Earnings, debts and the operator's accounts, turned round.
    select p.person_id, p.account, -p.tokens as tokens from ledger.postings p
    where p.operator_id = me and p.journal_id = old.id
      and (p.person_id is null or p.account in ('earnings', 'debt'))
    union all
    select l.person_id, 'tokens', (give ->> 'tokens')::bigint from jsonb_array_elements(gives) give
    join ledger.lots l on l.operator_id = me and l.id = (give ->> 'lot')::bigint
    union all
    select l.person_id, made.account, -made.tokens from ledger.lots l
    cross join lateral (
      values ('tokens', l.tokens_left), ('debt', l.tokens - l.tokens_left)) as made(account, tokens)
    where l.operator_id = me and l.journal_id = old.id
  )
  select jsonb_agg(
    jsonb_build_object('person', one.person_id, 'account', one.account, 'tokens', one.tokens))
  into legs from (
    select c.person_id, c.account, sum(c.tokens)::bigint as tokens from changes c
    group by c.person_id, c.account having sum(c.tokens) <> 0) one;

  money := op -> 'money';
  if money is null then
    select jsonb_agg(jsonb_build_object('account', m.account, 'currency', m.currency, 'minor', -m.minor))
    into money from ledger.money_postings m where m.operator_id = me and m.journal_id = old.id;
  end if;
  if legs is null and money is null then
    return ledger.refused('not_reversible');
  end if;
  return jsonb_build_object('legs', coalesce(legs, '[]'), 'money', money,
    'spending', case when old.spending = 0 then 0 else -1 end, 'countedAt', old.at,
    'plan', jsonb_build_object('gives', gives, 'takes', takes, 'reversed', old.id,
      'cash', -coalesce(covered.cash_cents, 0), 'marketing', -coalesce(covered.marketing_cents, 0),
      'mode', op -> 'reverses' ->> 'mode'));
end $$;
