-- Whether the buyer asked to save the card that pays the order.
-- Before, nobody was asked, and cards were saved.
alter table billing.orders add column keep_card boolean not null default true;
alter table billing.orders alter column keep_card set default false;
