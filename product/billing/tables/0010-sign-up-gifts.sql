-- Free tokens promised at sign-up: on hold until the person confirms their email address.
create table billing.sign_up_gifts (
  operator_id bigint not null,
  person_id bigint not null,
  tokens integer not null check (tokens > 0),
  held_at timestamptz not null,
  -- Null while they are on hold.
  given_at timestamptz,
  primary key (operator_id, person_id)
);
select platform.own_table('billing.sign_up_gifts');
