-- Where the last log-in came from (ISO 3166-1 alpha-2), null where nobody knows: some countries close buying
-- and tipping.
alter table accounts.people add column last_login_country text check (last_login_country ~ '^[A-Z]{2}$');
