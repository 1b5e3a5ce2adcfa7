-- When a session proved a second step; null for one that a password or a provider alone started. Sessions
-- of before are null: staff log in once more.
alter table accounts.sessions add column stepped_at timestamptz;
