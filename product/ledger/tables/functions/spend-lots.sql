-- Takes tokens from a person's lots: promotional lots first (last with `bought_first`), then the oldest.
create or replace function ledger.spend_lots(
  me bigint, person bigint, needed bigint, entry bigint, bought_first boolean
) returns void language plpgsql as $$
declare
  drawn bigint;
begin
  with open_lots as (
    select l.id, l.tokens_left,
      sum(l.tokens_left) over (order by l.promotional <> bought_first desc, l.id) - l.tokens_left as before
    from ledger.lots l
    where l.operator_id = me and l.person_id = person and l.is_open
  ), taken as (
    select o.id, least(o.tokens_left, needed - o.before)::bigint as tokens
    from open_lots o where o.before < needed
  ), spent as (
    update ledger.lots l set tokens_left = l.tokens_left - t.tokens from taken t
    where l.operator_id = me and l.id = t.id
    returning l.id, t.tokens
  ), recorded as (
    insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
    select me, entry, s.id, s.tokens from spent s
    returning draws.tokens
  )
  select coalesce(sum(r.tokens), 0) into drawn from recorded r;
  if drawn <> needed then
    raise exception 'the lots of person % do not cover their balance', person;
  end if;
end $$;
