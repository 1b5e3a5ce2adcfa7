-- Socket events of a channel that keeps a log carry their place in it.
alter table platform.outbox add column seq bigint;

create or replace function platform.leave(facts jsonb, events jsonb, now timestamptz) returns void
language sql as $$
  select platform.announce(facts, now);
  insert into platform.outbox (consumer, name, key, payload, seq, at, ready_at)
  select '', e.event ->> 'name', e.event ->> 'channel', e.event -> 'payload', (e.event ->> 'seq')::bigint,
    now, now
  from jsonb_array_elements(events) with ordinality as e(event, nth)
  order by e.nth
$$;
