-- Ways in that were added since are to be looked at after a recovery.
alter table accounts.people add column if not exists ways_in_since timestamptz;
update accounts.people set ways_in_since = recovered_at - interval '30 days'
  where recovered_at is not null and ways_in_since is null;
