-- When it happened last by the clock of that browser; null where it said nothing readable.
alter table client_logs.reports add column browser_time timestamptz;
