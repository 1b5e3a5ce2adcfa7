-- Passkeys (WebAuthn Level 3). Public keys only: whoever reads this table can log in as nobody.
create table accounts.passkeys (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- Of the authenticator, base64url.
  credential_id text not null check (length(credential_id) <= 1364),
  -- COSE, base64url.
  public_key text not null check (length(public_key) <= 8192),
  -- Signatures the authenticator has counted; 0 for those that don't count.
  counter bigint not null,
  -- Host name it was made for; browsers offer it nowhere else.
  host text not null,
  transports text[] not null default '{}',
  name text not null check (length(name) <= 40),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, credential_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index passkeys_of_person on accounts.passkeys (operator_id, person_id, id);

select platform.own_table('accounts.passkeys');
