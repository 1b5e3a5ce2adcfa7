-- What every slice stands on: tenancy, the outbox, deadlines, the audit log.

-- The operator of the running unit of work. Raises when there is none, so that nothing is ever visible by
-- mistake.
create function platform.operator_id() returns bigint language sql stable
  return current_setting('app.operator')::bigint;

-- Opens a table to the application role. By itself only for the few tables that are read before an operator
-- is known (which host name belongs to whom).
create function platform.open_table(target regclass, variadic privileges text[] default '{select}')
returns void language plpgsql as $$
begin
  execute format('grant usage on schema %s to candela_app',
    (select c.relnamespace::regnamespace from pg_class c where c.oid = target));
  execute format('grant %s on %s to candela_app', array_to_string(privileges, ', '), target);
end $$;

-- Puts a table under an operator: `operator_id` fills itself, and the application role sees and writes only
-- rows of its unit's operator. Every slice calls it once for each of its tables.
create function platform.own_table(
  target regclass, variadic privileges text[] default '{select,insert,update,delete}'
) returns void language plpgsql as $$
begin
  if not exists (
    select from pg_attribute a
    where a.attrelid = target and a.attname = 'operator_id' and a.attnotnull
      and a.atttypid = 'bigint'::regtype
  ) then
    raise exception '% needs a column operator_id bigint not null', target;
  end if;
  if exists (
    select from pg_index i
    where i.indrelid = target and i.indisunique and not exists (
      select from pg_attribute a
      where a.attrelid = target and a.attname = 'operator_id' and a.attnum = any(i.indkey)
    )
  ) then
    raise exception 'every unique key of % includes operator_id', target;
  end if;
  execute format('alter table %s alter column operator_id set default platform.operator_id()', target);
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy operator_only on %s using (operator_id = platform.operator_id())'
      ' with check (operator_id = platform.operator_id())', target);
  perform platform.open_table(target, variadic privileges);
end $$;

-- Who hears which fact; written from the wiring at start, so that SQL functions can announce too.
create table platform.consumers (
  fact text not null,
  consumer text not null,
  primary key (fact, consumer)
);

-- One row per fact and consumer, and one per socket event (consumer ''); deleted on delivery.
create table platform.outbox (
  id bigint generated always as identity primary key,
  operator_id bigint not null default platform.operator_id(),
  fact_id uuid not null default gen_random_uuid(),
  consumer text not null,
  name text not null,
  key text not null,
  payload jsonb not null,
  at timestamptz not null,
  -- Not before: set ahead while a process delivers the row, and for the wait after a failure.
  ready_at timestamptz not null,
  attempts int not null default 0,
  -- Given up after too many failures; waits for a person.
  parked boolean not null default false
);
create index outbox_order on platform.outbox (consumer, operator_id, key, id) where not parked;
create index outbox_events on platform.outbox (id) where consumer = '';

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
  -- New with each schedule: a handler that sets the same deadline again does not lose it.
  ticket bigint generated always as identity,
  primary key (operator_id, kind, key)
);
create index due_ready on platform.due (ready_at) where not parked;

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

-- The owner (migrations, delivery) passes these policies; the application role never does.
alter table platform.outbox enable row level security;
alter table platform.due enable row level security;
alter table platform.audit enable row level security;
create policy operator_only on platform.outbox
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
create policy operator_only on platform.due
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
create policy operator_only on platform.audit
  using (operator_id = platform.operator_id()) with check (operator_id = platform.operator_id());
grant usage on schema platform to candela_app;
grant select on platform.consumers to candela_app;
grant insert on platform.outbox to candela_app;
grant select, insert, update, delete on platform.due to candela_app;
grant select, insert on platform.audit to candela_app;

-- Announces facts in order: `facts` is an array of {name, key, payload}. For SQL functions; TypeScript has
-- tx.announce. `app.left` tells the unit of work at its commit that there is something to deliver.
create function platform.announce(facts jsonb, now timestamptz) returns void language sql as $$
  select set_config('app.left', 'yes', true);
  insert into platform.outbox (fact_id, consumer, name, key, payload, at, ready_at)
  select f.fact_id, c.consumer, f.name, f.key, f.payload, now, now
  from (
    select gen_random_uuid() as fact_id, e.fact ->> 'name' as name, e.fact ->> 'key' as key,
      e.fact -> 'payload' as payload, e.nth
    from jsonb_array_elements(facts) with ordinality as e(fact, nth)
  ) f
  join platform.consumers c on c.fact = f.name
  order by f.nth, c.consumer
$$;

-- What one unit of work leaves behind, in one statement: facts, then socket events {name, channel, payload}.
create function platform.leave(facts jsonb, events jsonb, now timestamptz) returns void language sql as $$
  select platform.announce(facts, now);
  insert into platform.outbox (consumer, name, key, payload, at, ready_at)
  select '', e.event ->> 'name', e.event ->> 'channel', e.event -> 'payload', now, now
  from jsonb_array_elements(events) with ordinality as e(event, nth)
  order by e.nth
$$;
