-- Seals days of form 1 again in form 2, where they are as they were sealed, before entries of them change.
create or replace function ledger.reseal_days(me bigint, of_entries bigint[], now timestamptz) returns void
language sql as $$
  insert into ledger.reseals (operator_id, day, entries, hash, sealed_at)
  select s.operator_id, s.day, again.entries, again.hash, now
  from (
    select s.*, lag(s.hash, 1, '') over (order by s.day) as before
    from ledger.seals s where s.operator_id = me
  ) s
  cross join lateral ledger.hash_day(me, s.day, s.before, 1) was
  cross join lateral ledger.hash_day(me, s.day, s.before, 2) again
  where s.form = 1 and was.hash = s.hash
    and not exists (select from ledger.reseals r where r.operator_id = me and r.day = s.day)
    and s.day in (select (j.at at time zone 'UTC')::date from ledger.journal j
      where j.operator_id = me and j.id = any (of_entries))
$$;
