-- From where the holder of a ticket was last given the picture: while that region may see it, a request that
-- is refused elsewhere shuts them out of nothing.
alter table shows.tickets add column served_region text;
