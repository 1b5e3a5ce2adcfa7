-- Accounts at other providers (OpenID Connect, OAuth 2.0) that log a person in.
create table accounts.identities (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  provider text not null check (provider in ('google', 'facebook')),
  -- What the provider names the account by, for ever; never its email address, which may change hands.
  subject text not null check (length(subject) <= 255),
  -- The address the provider gave, to recognise the account by.
  email text check (length(email) <= 254),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, provider, subject),
  unique (operator_id, person_id, provider),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

select platform.own_table('accounts.identities');
