-- Redacted reports from browsers, for admins.
create schema client_logs;

-- Errors, toasts and purchases, grouped with similar ones. No row belongs to a person.
create table client_logs.reports (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  kind text not null check (kind in ('error', 'toast', 'purchase')),
  code text not null,
  message text not null,
  detail text not null,
  page text not null,
  versions text[] not null,
  browsers text[] not null,
  count bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Time of the last occurrence by the browser's clock; null if the browser sent no readable time.
  browser_time timestamptz,
  primary key (operator_id, id),
  unique (operator_id, code)
);
create index reports_by_age on client_logs.reports (operator_id, last_at desc, id desc);
select platform.own_table('client_logs.reports');

-- Notes and console lines. They belong to the person whose page sent them.
create table client_logs.batches (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  source text not null check (source in ('log', 'console')),
  lines text[] not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id) on delete cascade
);
create index batches_of_person on client_logs.batches (operator_id, person_id, id desc);
create index batches_by_age on client_logs.batches (operator_id, at);
select platform.own_table('client_logs.batches');
