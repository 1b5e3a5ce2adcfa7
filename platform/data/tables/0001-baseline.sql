-- Tables that every slice relies on: consumers of facts, the outbox, deadlines, the audit log.

-- Defaults and policies below call it, and functions are applied after tables. Its file in tables/functions
-- replaces it.
create function platform.operator_id() returns bigint language sql stable
  return current_setting('app.operator')::bigint;

-- SQL functions of this database, each with the SHA-256 of the file that it came from.
create table platform.functions (
  name text primary key,
  sha256 text not null
);

-- Which consumer handles which fact. The program writes it at its start, so that SQL functions can publish.
-- Keys compare by bytes, here and below: the rules of a language would cost more and order nothing.
create table platform.consumers (
  fact text collate "C" not null,
  consumer text collate "C" not null,
  -- Gets a row only for the keys that it has in `interests`.
  by_interest boolean not null default false,
  primary key (fact, consumer)
);

-- Keys that matter to a consumer which needs few of them.
create table platform.interests (
  operator_id bigint not null default platform.operator_id(),
  consumer text collate "C" not null,
  key text collate "C" not null,
  primary key (operator_id, consumer, key)
);

-- One row for each fact and consumer, and one for each socket event (consumer ''). Delivery deletes it. The
-- primary key is its only index over all rows, because every fact pays for each index once a consumer.
create table platform.outbox (
  id bigint generated always as identity,
  operator_id bigint not null default platform.operator_id(),
  fact_id uuid not null default gen_random_uuid(),
  consumer text collate "C" not null,
  name text not null,
  key text collate "C" not null,
  payload jsonb not null,
  at timestamptz not null,
  -- Delivery waits until then: while a process holds the row, and after a failure.
  ready_at timestamptz not null,
  attempts int not null default 0,
  -- Failed too often: waits for a person.
  parked boolean not null default false,
  -- Sequence number of a socket event in the log of its channel; null where the channel has no log.
  seq bigint,
  -- End of the lease of the process that delivers the row; null if none does.
  held_until timestamptz,
  primary key (consumer, operator_id, key, id)
);
-- Socket events are published in shards (delivery/publishing.ts).
create index outbox_shards on platform.outbox ((hashtext(key) & 15), id) where consumer = '';

-- Deadlines of the domain, by the clock of the application.
create table platform.due (
  operator_id bigint not null default platform.operator_id(),
  kind text not null,
  key text not null,
  at timestamptz not null,
  payload jsonb not null,
  ready_at timestamptz not null,
  attempts int not null default 0,
  parked boolean not null default false,
  -- Changes with each schedule, so that a handler which sets its own deadline again does not lose it.
  ticket bigint generated always as identity,
  -- End of the lease of the process that handles the deadline; null if none does.
  held_until timestamptz,
  primary key (operator_id, kind, key)
);
-- Deadlines are handled in lanes, one for each kind and operator, in order of time.
create index due_lanes on platform.due (kind, operator_id, ready_at) where not parked;

create table platform.audit (
  id bigint generated always as identity primary key,
  operator_id bigint not null default platform.operator_id(),
  at timestamptz not null,
  action text not null,
  actor_id bigint,
  subject text not null,
  reason text,
  detail jsonb not null
);
create index audit_subject on platform.audit (operator_id, subject, id);

-- Row security is not forced on tables that delivery reads as their owner, across operators.
alter table platform.interests enable row level security;
alter table platform.interests force row level security;
alter table platform.outbox enable row level security;
alter table platform.due enable row level security;
alter table platform.audit enable row level security;
create policy operator_only on platform.interests
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
create policy operator_only on platform.outbox
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
create policy operator_only on platform.due
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
create policy operator_only on platform.audit
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());

grant usage on schema platform to candela_app;
grant select on platform.consumers to candela_app;
grant select, insert, delete on platform.interests to candela_app;
grant insert on platform.outbox to candela_app;
grant select, insert, update, delete on platform.due to candela_app;
grant select, insert on platform.audit to candela_app;

-- Statistics of operators describe the largest ones: for a new operator the planner would expect no rows,
-- find every index equally good, and read a whole table by the wrong one. A batch of 200 tips then took three
-- seconds instead of a tenth of one. Without statistics it assumes a two-hundredth of the rows, and other
-- columns decide.
alter table platform.interests alter column operator_id set statistics 0;
alter table platform.outbox alter column operator_id set statistics 0;
alter table platform.due alter column operator_id set statistics 0;
alter table platform.audit alter column operator_id set statistics 0;
