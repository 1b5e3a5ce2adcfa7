-- Networks that a person logged in from, as keyed digests: what a new browser is compared with.
create table accounts.login_networks (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  seen_at timestamptz not null,
  primary key (operator_id, person_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

-- The code that was sent to a person who logs in from a new network; each works once.
create table accounts.login_codes (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  tries smallint not null default 0,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

select platform.own_table('accounts.login_networks');
select platform.own_table('accounts.login_codes');
