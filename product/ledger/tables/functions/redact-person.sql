-- Takes the names and words of somebody out of at most so many of their entries; answers how many. Amounts,
-- days and people's ids stay. Done again, it finds none. What a viewer set aside for a show of theirs moved
-- nothing of theirs yet: such an entry is found by its name.
create or replace function ledger.redact_person(
  person bigint, names text[], pseudonym text, most int, now timestamptz
) returns int language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  found_entries bigint[];
begin
  -- No day is sealed meanwhile: the lock of `seal_days`.
  perform pg_advisory_xact_lock(7203414, me::int);
  select array_agg(e.journal_id) into found_entries from (
    select f.journal_id from (
      select p.journal_id from ledger.postings p where p.operator_id = me and p.person_id = person
      union
      select j.id from ledger.journal j
      where j.operator_id = me and j.memo ? 'show' and lower(j.memo ->> 'to') = any (names)) f
    where not exists (
      select from ledger.redactions r
      where r.operator_id = me and r.journal_id = f.journal_id and r.person_id = person)
    limit most) e;
  if found_entries is null then
    return 0;
  end if;
  perform ledger.reseal_days(me, found_entries, now);
  insert into ledger.redactions (operator_id, journal_id, person_id, memo_digest, facts_digest, at)
  select me, j.id, person, coalesce(r.memo_digest, ledger.digest_of(j.memo)),
    coalesce(r.facts_digest, ledger.digest_of(j.facts)), now
  from ledger.journal j left join lateral (
    select d.memo_digest, d.facts_digest from ledger.redactions d
    where d.operator_id = me and d.journal_id = j.id limit 1) r on true
  where j.operator_id = me and j.id = any (found_entries);
  perform set_config('ledger.redacting', 'on', true);
  update ledger.journal j set facts = '[]', memo = ledger.redacted_memo(j.memo, names, pseudonym,
    exists (select from ledger.postings p where p.operator_id = me and p.journal_id = j.id
      and p.person_id = person and p.account in ('tokens', 'held') and p.tokens < 0),
    exists (select from ledger.postings p where p.operator_id = me and p.journal_id = j.id
      and p.person_id = person and p.account = 'earnings' and p.tokens > 0))
  where j.operator_id = me and j.id = any (found_entries);
  perform set_config('ledger.redacting', 'off', true);
  return cardinality(found_entries);
end $$;

grant execute on function ledger.redact_person to candela_app;
