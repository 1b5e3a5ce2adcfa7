-- Who sold, as they were named on the day an order was paid: no receipt changes when a company does. Null for
-- what is not paid, and for what was paid before sellers were kept.
alter table billing.orders add column seller jsonb check (jsonb_typeof(seller) = 'object');
