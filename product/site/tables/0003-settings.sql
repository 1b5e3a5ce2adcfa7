-- What an operator decided for all of its sites; only what differs from the defaults in rules.ts.
alter table site.operators add column settings jsonb not null default '{}'
  check (jsonb_typeof(settings) = 'object');
