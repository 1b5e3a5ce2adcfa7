-- Which of the candidates in a batch are simple: one payer, who pays earnings and the operator, can afford
-- everything they spend in the batch, and has neither limits nor promotional tokens. A person's operations
-- keep their order: whoever has another kind of operation in the batch has no simple one. `leg_slot` is the
-- position of a leg's account in `people`, null for the operator's accounts. Answers one boolean per
-- operation.
create or replace function ledger.find_simple(
  me bigint, ids uuid[], candidates boolean[], leg_op int[], leg_person bigint[], leg_account text[],
  leg_tokens bigint[], leg_split boolean[], leg_slot int[], people bigint[], balances bigint[]
) returns boolean[] language plpgsql as $$
declare
  size constant int := cardinality(ids);
  simple boolean[] := candidates;
  sums bigint[] := array_fill(0::bigint, array[size]);
  counts int[] := array_fill(0, array[size]);
  payers int[] := array_fill(0, array[size]);
  -- By account: where its person's accounts begin, what they spend, and whether they do anything else.
  heads int[] := array_fill(0, array[cardinality(people)]);
  spent bigint[] := array_fill(0::bigint, array[cardinality(people)]);
  mixed boolean[] := array_fill(false, array[cardinality(people)]);
  sharing bigint[] := '{}';
  limited bigint[];
  nth int;
  head int;
begin
  if true = any(leg_split) then
    select coalesce(array_agg(s.performer_id), '{}') into sharing from ledger.splits s
    where s.operator_id = me and s.performer_id = any(people);
  end if;
  -- The same id twice in a batch is left to `post_one`.
  if size > (select count(distinct t.id) from unnest(ids) as t(id)) then
    select array_agg(p.candidate and p.times = 1 order by p.nth) into simple from (
      select t.nth, t.candidate, count(*) over (partition by t.id) as times
      from unnest(ids, candidates) with ordinality as t(id, candidate, nth)) p;
  end if;
  for i in 1 .. cardinality(leg_op) loop
    nth := leg_op[i];
    sums[nth] := sums[nth] + leg_tokens[i];
    counts[nth] := counts[nth] + 1;
    if leg_tokens[i] < 0 then
      simple[nth] := simple[nth] and payers[nth] = 0 and leg_person[i] is not null
        and leg_account[i] = 'tokens';
      payers[nth] := leg_slot[i];
    elsif leg_person[i] is null then
      simple[nth] := simple[nth] and leg_account[i] in ('fees', 'grants', 'promo', 'float', 'losses');
    else
      simple[nth] := simple[nth] and leg_account[i] = 'earnings'
        and not (leg_split[i] and leg_person[i] = any(sharing));
    end if;
  end loop;
  for i in 1 .. size loop
    simple[i] := coalesce(simple[i] and counts[i] > 1 and sums[i] = 0 and payers[i] > 0, false);
  end loop;

  for i in 1 .. cardinality(people) loop
    heads[i] := case when i > 1 and people[i] = people[i - 1] then heads[i - 1] else i end;
  end loop;
  for i in 1 .. cardinality(leg_op) loop
    if leg_slot[i] is not null and leg_account[i] <> 'earnings' then
      head := heads[leg_slot[i]];
      mixed[head] := mixed[head] or not simple[leg_op[i]];
      spent[head] := spent[head] + greatest(0, -leg_tokens[i]);
    end if;
  end loop;
  select array_agg(l.person_id) into limited from (
    select t.person_id from ledger.standings t where t.operator_id = me and t.person_id = any(people)
    union all
    select b.person_id from ledger.budgets b where b.operator_id = me and b.person_id = any(people)
    union all
    select p.person_id from ledger.lots p
    where p.operator_id = me and p.person_id = any(people) and p.is_open and p.promotional) l;
  for i in 1 .. size loop
    if simple[i] then
      head := heads[payers[i]];
      simple[i] := not mixed[head] and balances[payers[i]] >= spent[head]
        and (limited is null or people[head] <> all(limited));
    end if;
  end loop;
  return simple;
end $$;
