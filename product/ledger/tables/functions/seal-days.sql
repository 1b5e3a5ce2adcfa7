-- Seals every day with entries that ended more than an hour ago, so that none of its units of work can
-- still be running. Answers the number of days.
create or replace function ledger.seal_days(now timestamptz) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  last ledger.seals;
  open_day date;
  sealed int := 0;
begin
  -- One sealing at a time. No other lock uses the number.
  perform pg_advisory_xact_lock(7203414, me::int);
  loop
    select * into last from ledger.seals s where s.operator_id = me order by s.day desc limit 1;
    select min((j.at at time zone 'UTC')::date) into open_day from ledger.journal j
    where j.operator_id = me and j.at >= coalesce((last.day + 1)::timestamp at time zone 'UTC', '-infinity');
    exit when open_day is null or (open_day + 1)::timestamp at time zone 'UTC' + interval '1 hour' > now;
    insert into ledger.seals (operator_id, day, entries, hash, sealed_at, form)
    select me, open_day, h.entries, h.hash, now, 2
    from ledger.hash_day(me, open_day, coalesce(last.hash, ''), 2) h;
    sealed := sealed + 1;
  end loop;
  return sealed;
end $$;

grant execute on function ledger.seal_days to candela_app;
