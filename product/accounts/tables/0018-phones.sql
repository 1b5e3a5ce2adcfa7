-- A number that somebody confirmed as theirs by a code: text messages go there. One account has it at a time.
create table accounts.phones (
  operator_id bigint not null,
  person_id bigint not null,
  -- E.164.
  number text not null check (number ~ '^\+[1-9][0-9]{6,14}$'),
  confirmed_at timestamptz not null,
  primary key (operator_id, person_id),
  unique (operator_id, number),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

-- The code that was sent to a number; each works once, for its person and that number alone.
create table accounts.phone_codes (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  sent_at timestamptz not null,
  expires_at timestamptz not null,
  tries smallint not null default 0,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

select platform.own_table('accounts.phones');
select platform.own_table('accounts.phone_codes');
