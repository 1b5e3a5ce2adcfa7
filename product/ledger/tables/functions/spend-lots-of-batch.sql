-- Takes the tokens that entries spend from the lots of their payers, promotional lots first, then the
-- oldest. `payers` are positions in `people`; an operation without an entry is skipped.
create or replace function ledger.spend_lots_of_batch(
  me bigint, entries bigint[], payers int[], amounts bigint[], people bigint[]
) returns void language plpgsql as $$
declare
  lots bigint[];
  lefts bigint[];
  owners bigint[];
  -- By person: the lot that is spent next.
  heads int[] := array_fill(null::int, array[cardinality(people)]);
  draw_entries bigint[] := '{}';
  draw_lots bigint[] := '{}';
  draw_tokens bigint[] := '{}';
  lot int;
  needed bigint;
  part bigint;
begin
  select array_agg(l.id), array_agg(l.tokens_left), array_agg(l.nth) into lots, lefts, owners from (
    select l.id, l.tokens_left, t.nth
    from (select distinct p.nth from unnest(entries, payers) as p(entry, nth) where p.entry is not null) t
    join ledger.lots l on l.operator_id = me and l.person_id = people[t.nth] and l.is_open
    order by t.nth, l.promotional desc, l.id) l;
  for i in reverse coalesce(cardinality(lots), 0) .. 1 loop
    heads[owners[i]] := i;
  end loop;
  for i in 1 .. cardinality(entries) loop
    continue when entries[i] is null;
    needed := amounts[i];
    lot := heads[payers[i]];
    while needed > 0 loop
      if owners[lot] is distinct from payers[i] then
        raise exception 'the lots of a batch do not cover what it spends';
      end if;
      part := least(needed, lefts[lot]);
      lefts[lot] := lefts[lot] - part;
      needed := needed - part;
      draw_entries := draw_entries || entries[i];
      draw_lots := draw_lots || lots[lot];
      draw_tokens := draw_tokens || part;
      lot := lot + (lefts[lot] = 0)::int;
    end loop;
    heads[payers[i]] := lot;
  end loop;
  update ledger.lots l set tokens_left = t.tokens_left
  from unnest(lots, lefts) as t(id, tokens_left)
  where l.operator_id = me and l.id = t.id and l.tokens_left <> t.tokens_left;
  insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
  select me, t.entry, t.lot, t.tokens
  from unnest(draw_entries, draw_lots, draw_tokens) as t(entry, lot, tokens);
end $$;
