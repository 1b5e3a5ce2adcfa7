-- Who sold, as they were named on the day an order was paid: no receipt changes when a company does. Null for
-- what is not paid, and for what was paid before sellers were kept.
alter table billing.orders add column seller jsonb check (jsonb_typeof(seller) = 'object');

-- Payments whose tokens wait for marketing: few, and asked for by every look at the desk.
create index events_over_cap on billing.events (operator_id, order_id) where outcome = 'over_cap';
