-- Until when a process holds what it delivers. Null: nobody does. `ready_at` is set along with it, for
-- processes of older versions, which look at nothing else.
alter table platform.outbox add column held_until timestamptz;
alter table platform.due add column held_until timestamptz;

-- Deadlines are taken lane by lane: of one kind and operator, in order of time.
drop index platform.due_ready;
create index due_lanes on platform.due (kind, operator_id, ready_at) where not parked;

-- Socket events are published shard by shard (delivery/publishing.ts).
drop index platform.outbox_events;
create index outbox_shards on platform.outbox ((hashtext(key) & 15), id) where consumer = '';
