-- Publishes facts that are in columns already, in order: one row for each fact and consumer. `app.left` says
-- to the unit of work, at its commit, that there is something to deliver.
create or replace function platform.publish_rows(
  names text[], keys text[], payloads jsonb[], now timestamptz
) returns void language plpgsql as $$
declare
  me constant bigint := platform.operator_id();
begin
  perform set_config('app.left', 'yes', true);
  insert into platform.outbox (operator_id, fact_id, consumer, name, key, payload, at, ready_at)
  select me, f.fact_id, c.consumer, f.name, f.key, f.payload, now, now
  from (
    select gen_random_uuid() as fact_id, e.name, e.key, e.payload, e.nth
    from unnest(names, keys, payloads) with ordinality as e(name, key, payload, nth)
  ) f
  join platform.consumers c on c.fact = f.name
  where not c.by_interest or exists (
    select from platform.interests i
    where i.operator_id = me and i.consumer = c.consumer and i.key = f.key)
  order by f.nth, c.consumer;
end $$;

grant execute on function platform.publish_rows to candela_app;
