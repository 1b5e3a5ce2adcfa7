-- Why a resolved operation may not happen, or null: {status, until?, period?}.
create or replace function ledger.refusal(me bigint, op jsonb, now timestamptz) returns jsonb
language plpgsql as $$
declare
  leg record;
  found jsonb;
  credit bigint;
  debt bigint;
  needed bigint;
  room bigint;
begin
  if (op ->> 'spending')::int = 1 then
    for leg in select l.person_id, -l.tokens as tokens from ledger.legs_of(op) l
      where l.account = 'tokens' and l.tokens < 0 order by 1
    loop
      found := ledger.restriction_refusal(me, leg.person_id, leg.tokens, now);
      if found is not null then
        return found;
      end if;
    end loop;
  end if;
  for leg in select * from ledger.overdrafts(me, op) o order by 1, 2 loop
    if leg.account <> 'tokens' or (op ->> 'spending')::int <> 1 then
      return jsonb_build_object('status', 'insufficient');
    end if;
    select coalesce(max(s.credit_tokens), 0) into credit from ledger.standings s
    where s.operator_id = me and s.person_id = leg.person_id;
    select coalesce(max(-a.balance), 0) into debt from ledger.accounts a
    where a.operator_id = me and a.person_id = leg.person_id and a.account = 'debt';
    if debt + leg.missing > credit then
      return jsonb_build_object(
        'status', case when credit > 0 then 'credit_exhausted' else 'insufficient' end);
    end if;
  end loop;
  if op -> 'plan' ? 'reversed' then
    return null;
  end if;
  -- What a settlement pays was held before: it is counted, and not refused.
  if jsonb_typeof(op -> 'plan') = 'null' then
    room := ledger.promotional_room(me, op, now);
    if room is not null and (select p.at_least > room from ledger.promotional_part(me, op) p) then
      return jsonb_build_object('status', 'performer_cap');
    end if;
  end if;
  select s.marketing_cents into needed from ledger.shortfall(me, op) s;
  if needed > 0 then
    insert into ledger.marketing (operator_id, booked_cents) values (me, 0) on conflict do nothing;
    perform from ledger.marketing m where m.operator_id = me for update;
    if (select m.booked_cents + needed > s.marketing_cap_cents
      from ledger.marketing m cross join ledger.settings_of(me) s where m.operator_id = me)
    then
      return jsonb_build_object('status', 'marketing_cap');
    end if;
  end if;
  return null;
end $$;
