-- Null until the first log-in, which no email is sent about.
alter table accounts.people add column last_login_at timestamptz;
update accounts.people set last_login_at = created_at where last_login_country is not null;

-- What a person is shown of each session, to recognise it: never the whole user agent or address.
alter table accounts.sessions
  add column browser text not null default '' check (length(browser) <= 40),
  add column platform text not null default '' check (length(platform) <= 40),
  add column region text not null default 'unknown' check (length(region) <= 16);
