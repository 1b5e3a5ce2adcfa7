-- Since when the site has no capacity for the holder of a ticket, who cannot watch the running show then.
alter table shows.tickets add column full_since timestamptz;
