-- People, how they prove who they are, and their sessions.
create schema accounts;

create table accounts.people (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- The site they signed up at.
  site_id bigint not null,
  -- Lower case; the display name keeps the spelling.
  username text not null check (username = lower(username)),
  display_name text not null,
  email text not null check (email = lower(email)),
  email_confirmed_at timestamptz,
  type text not null check (type in ('user', 'model')),
  gender text check (gender in ('f', 'm', 't', 'c')),
  birth_date date not null,
  about text not null default '',
  languages text[] not null default '{}',
  avatar_url text,
  roles text[] not null default '{}'
    check (roles <@ array['site_mod', 'model_admin', 'admin', 'super_admin']),
  -- Only what the person chose; defaults stand in rules.ts.
  settings jsonb not null default '{}',
  suspended_at timestamptz,
  created_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, username),
  unique (operator_id, email)
);
create index people_performers on accounts.people (operator_id, id) where type = 'model';

-- Apart from people, so that no reading of a person can carry it along.
create table accounts.passwords (
  operator_id bigint not null,
  person_id bigint not null,
  -- PHC string: algorithm, parameters, salt and hash.
  hash text not null,
  changed_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

create table accounts.sessions (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- Keyed digest of the cookie: whoever reads this table can log in as nobody.
  digest text not null,
  person_id bigint not null,
  created_at timestamptz not null,
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index sessions_of_person on accounts.sessions (operator_id, person_id, id);

-- Node tokens that were redeemed, until they would have expired anyway.
create table accounts.spent_tokens (
  operator_id bigint not null,
  nonce text not null,
  expires_at timestamptz not null,
  primary key (operator_id, nonce)
);
create index spent_tokens_expiry on accounts.spent_tokens (operator_id, expires_at);

-- Counted log-in attempts; `key` is a digest and names nobody.
create table accounts.attempts (
  operator_id bigint not null,
  key text not null,
  count integer not null,
  window_ends_at timestamptz not null,
  primary key (operator_id, key)
);
create index attempts_window on accounts.attempts (operator_id, window_ends_at);

select platform.own_table('accounts.people');
select platform.own_table('accounts.passwords');
select platform.own_table('accounts.sessions');
select platform.own_table('accounts.spent_tokens');
select platform.own_table('accounts.attempts');
