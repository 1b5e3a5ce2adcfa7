-- What the holder of a ticket would have missed of the running show in each region that they asked from,
-- until they are first given the picture: the region that gives it decides what counts. Null after it.
alter table shows.tickets add column missed_in jsonb check (jsonb_typeof(missed_in) = 'object');
