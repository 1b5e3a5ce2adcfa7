-- Refunds of a part: what is back of an order already, in minor units of its currency.
alter table billing.orders
  add column refunded_minor bigint not null default 0
    check (refunded_minor between 0 and amount_minor);
-- What was taken back before was taken back whole.
alter table billing.orders no force row level security;
update billing.orders set refunded_minor = amount_minor where refunded_at is not null;
alter table billing.orders force row level security;
