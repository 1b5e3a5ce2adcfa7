-- Days whose rows are not those that were sealed, and days that got entries after a later day was sealed.
create or replace function ledger.broken_seals() returns setof date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with sealed as (
    select s.*, lag(s.hash, 1, '') over (order by s.day) as before
    from ledger.seals s where s.operator_id = platform.operator_id()
  ), days as (
    select distinct (j.at at time zone 'UTC')::date as day from ledger.journal j
    where j.operator_id = platform.operator_id()
      and j.at < (select (max(s.day) + 1)::timestamp at time zone 'UTC' from sealed s)
  )
  select s.day from sealed s cross join lateral ledger.hash_day(s.operator_id, s.day, s.before) h
    where h.hash <> s.hash or h.entries <> s.entries
  union
  select d.day from days d where not exists (select from sealed s where s.day = d.day)
  order by 1
$$;

grant execute on function ledger.broken_seals to candela_app;
