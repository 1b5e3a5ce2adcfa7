-- An operator that was filled with demo people must never go into production.
alter table site.operators add column demo_since timestamptz;
