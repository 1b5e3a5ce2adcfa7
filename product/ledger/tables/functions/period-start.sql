-- When the day, week or month of a moment began (UTC).
create or replace function ledger.period_start(period text, at timestamptz) returns timestamptz
language sql immutable as $$
  select date_trunc(period, at at time zone 'UTC') at time zone 'UTC'
$$;
