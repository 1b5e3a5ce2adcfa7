-- Authenticator apps (RFC 6238). Not confirmed yet, a row does nothing.
create table accounts.two_factor (
  operator_id bigint not null,
  person_id bigint not null,
  -- The shared secret, encrypted under the site's secret: it must be read to check a code.
  secret text not null,
  confirmed_at timestamptz,
  -- Time step of the last code that was used: none counts twice.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

-- Codes for when the app is lost; each works once. Only keyed digests are stored.
create table accounts.recovery_codes (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  primary key (operator_id, person_id, digest),
  foreign key (operator_id, person_id) references accounts.two_factor on delete cascade
);

select platform.own_table('accounts.two_factor');
select platform.own_table('accounts.recovery_codes');
