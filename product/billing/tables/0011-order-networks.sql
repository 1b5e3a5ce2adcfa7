-- Which network an order was made from, as a digest: emails about it to an address that nobody confirmed
-- count in the daily limit of that network. Null where nobody was present, and of orders of before.
alter table billing.orders add column network text check (length(network) <= 64);
