-- Whether the holder of a ticket could watch decides whether it is paid. Where they watch from is the region
-- they bought it in, or last came into the room from; tickets of before have none.
alter table shows.tickets
  add column region text,
  -- Since when they may not watch the running show, and for how long they might not before.
  add column shut_out_since timestamptz,
  add column shut_out_ms int not null default 0 check (shut_out_ms >= 0);
