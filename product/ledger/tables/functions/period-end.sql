-- When the day, week or month of a moment ends (UTC).
create or replace function ledger.period_end(period text, at timestamptz) returns timestamptz
language sql immutable as $$
  select (date_trunc(period, at at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC'
$$;
