-- Puts a table under an operator: `operator_id` fills itself, and the application role reads and writes only
-- the rows of its unit's operator. A migration calls it once for each table that it creates. Whoever changes
-- this function also writes a migration that changes the existing tables: a test compares old databases with
-- new ones.
create or replace function platform.own_table(
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
  -- Statistics of the largest operators would say that a new one has no rows, and mislead the planner.
  execute format('alter table %s alter column operator_id set statistics 0', target);
end $$;
