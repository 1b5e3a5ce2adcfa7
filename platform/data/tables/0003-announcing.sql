-- The same as `announce` for facts that lie in columns already, for functions that announce many at once.
create function platform.announce(names text[], keys text[], payloads jsonb[], now timestamptz) returns void
language plpgsql as $$
begin
  perform set_config('app.left', 'yes', true);
  insert into platform.outbox (fact_id, consumer, name, key, payload, at, ready_at)
  select f.fact_id, c.consumer, f.name, f.key, f.payload, now, now
  from (
    select gen_random_uuid() as fact_id, e.name, e.key, e.payload, e.nth
    from unnest(names, keys, payloads) with ordinality as e(name, key, payload, nth)
  ) f
  join platform.consumers c on c.fact = f.name
  order by f.nth, c.consumer;
end $$;
