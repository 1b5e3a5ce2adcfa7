-- Days whose rows are not those that were sealed, and days that got entries after a later day was sealed.
create or replace function ledger.broken_seals() returns setof date
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with sealed as (
    select s.operator_id, s.day, lag(s.hash, 1, '') over (order by s.day) as before,
      coalesce(r.entries, s.entries) as entries, coalesce(r.hash, s.hash) as hash,
      case when r.hash is null then s.form else 2 end as form
    from ledger.seals s left join ledger.reseals r on r.operator_id = s.operator_id and r.day = s.day
    where s.operator_id = platform.operator_id()
  ), days as (
    select distinct (j.at at time zone 'UTC')::date as day from ledger.journal j
    where j.operator_id = platform.operator_id()
      and j.at < (select (max(s.day) + 1)::timestamp at time zone 'UTC' from sealed s)
  )
  select s.day from sealed s cross join lateral ledger.hash_day(s.operator_id, s.day, s.before, s.form) h
    where h.hash <> s.hash or h.entries <> s.entries
  union
  select d.day from days d where not exists (select from sealed s where s.day = d.day)
  order by 1
$$;

grant execute on function ledger.broken_seals to candela_app;
