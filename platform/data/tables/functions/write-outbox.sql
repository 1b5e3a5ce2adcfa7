-- Writes what one unit of work publishes: facts {name, key, payload}, then socket events {name, channel,
-- payload, seq}. `seq` is the sequence number in the log of a channel that has one.
create or replace function platform.write_outbox(facts jsonb, events jsonb, now timestamptz) returns void
language sql as $$
  select platform.publish(facts, now);
  insert into platform.outbox (consumer, name, key, payload, seq, at, ready_at)
  select '', e.event ->> 'name', e.event ->> 'channel', e.event -> 'payload', (e.event ->> 'seq')::bigint,
    now, now
  from jsonb_array_elements(events) with ordinality as e(event, nth)
  order by e.nth
$$;

grant execute on function platform.write_outbox to candela_app;
