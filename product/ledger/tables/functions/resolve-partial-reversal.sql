-- What a reversal of a part of a purchase moves: `tokens` of those it issued, or all that is left. They
-- come out of the lot it created; beyond that, what it repaid is owed again. Spent tokens of the lot are
-- owed after a chargeback, and a refund of them is refused. The cover shrinks in proportion, rounded so
-- that none is missing.
create or replace function ledger.resolve_partial_reversal(me bigint, op jsonb, old ledger.journal)
returns jsonb language plpgsql as $$
declare
  charged constant boolean := op -> 'reverses' ->> 'mode' = 'chargeback';
  shape record;
  lot ledger.lots;
  covered ledger.coverage;
  gone bigint;
  part bigint;
  of_lot bigint;
  taken bigint;
  legs jsonb;
  money jsonb := op -> 'money';
begin
  select -coalesce(sum(p.tokens) filter (where p.person_id is null), 0)::bigint as issued,
    max(p.person_id) as person, max(p.account) filter (where p.person_id is null) as source,
    coalesce(bool_and(p.person_id is null and p.tokens < 0
      or p.account in ('tokens', 'debt') and p.tokens > 0), true)
      and count(*) filter (where p.person_id is null) <= 1 and count(distinct p.person_id) <= 1
      and count(*) filter (where p.account = 'tokens') <= 1 as is_purchase
  into shape
  from ledger.postings p where p.operator_id = me and p.journal_id = old.id;
  select coalesce(sum(r.part_tokens), 0) into gone from ledger.reversals r
  where r.operator_id = me and r.reversed_id = old.id;
  part := coalesce((op -> 'reverses' ->> 'tokens')::bigint, shape.issued - gone);
  if not shape.is_purchase or part < 0 or part > shape.issued - gone
    or (not op -> 'reverses' ? 'tokens' and part = 0 and shape.issued > 0)
  then
    return ledger.refused('not_reversible');
  end if;
  select * into lot from ledger.lots l where l.operator_id = me and l.journal_id = old.id;
  of_lot := least(part, coalesce(lot.tokens, 0) - least(gone, coalesce(lot.tokens, 0)));
  taken := least(of_lot, coalesce(lot.tokens_left, 0));
  if not charged and taken < of_lot then
    return ledger.refused('not_reversible');
  end if;

  select jsonb_agg(jsonb_build_object('person', one.person, 'account', one.account, 'tokens', one.tokens))
  into legs from (values
    (null, shape.source, part), (shape.person, 'tokens', -taken), (shape.person, 'debt', taken - part)
  ) as one(person, account, tokens) where one.tokens <> 0;
  if money is null and not op -> 'reverses' ? 'tokens' then
    -- The money that earlier parts left.
    select jsonb_agg(jsonb_build_object('account', m.account, 'currency', m.currency, 'minor', -m.minor))
    into money from (
      select m.account, m.currency, sum(m.minor)::bigint as minor from ledger.money_postings m
      where m.operator_id = me and (m.journal_id = old.id or m.journal_id in (
        select r.journal_id from ledger.reversals r where r.operator_id = me and r.reversed_id = old.id))
      group by m.account, m.currency having sum(m.minor) <> 0) m;
  end if;
  if legs is null and money is null then
    return ledger.refused('not_reversible');
  end if;
  select * into covered from ledger.coverage c where c.operator_id = me and c.journal_id = old.id;
  return jsonb_build_object('legs', coalesce(legs, '[]'), 'money', money, 'spending', 0, 'countedAt', old.at,
    'plan', jsonb_build_object('gives', '[]'::jsonb, 'takes', case when taken = 0 then '[]'::jsonb
        else jsonb_build_array(jsonb_build_object('lot', lot.id, 'tokens', taken)) end,
      'reversed', old.id, 'part', part, 'mode', op -> 'reverses' ->> 'mode',
      'cash', ledger.remaining_cover(covered.cash_cents, shape.issued, gone + part)
        - ledger.remaining_cover(covered.cash_cents, shape.issued, gone),
      'marketing', ledger.remaining_cover(covered.marketing_cents, shape.issued, gone + part)
        - ledger.remaining_cover(covered.marketing_cents, shape.issued, gone)));
end $$;
