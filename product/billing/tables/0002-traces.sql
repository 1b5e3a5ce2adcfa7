-- What is known of where a purchase came from and what it was made with: for attribution, and for staff who
-- look for fraud. Of the device and its report only keyed digests are kept: they tell that two are the same,
-- and nothing else.
alter table billing.orders
  add column advert_id text check (length(advert_id) <= 64),
  add column device text check (length(device) <= 32),
  add column blackbox text check (length(blackbox) <= 32);
create index orders_device on billing.orders (operator_id, device) where device is not null;
create index orders_blackbox on billing.orders (operator_id, blackbox) where blackbox is not null;
