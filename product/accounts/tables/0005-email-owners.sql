-- An address belongs to whoever confirmed it. Others may enter it at sign-up too, so that sign-up does not
-- reveal who is a member.
alter table accounts.people drop constraint people_operator_id_email_key;
create unique index people_email_owner on accounts.people (operator_id, email)
  where email_confirmed_at is not null;
create index people_email on accounts.people (operator_id, email, id);

-- The newest password reset of each person.
create table accounts.password_resets (
  operator_id bigint not null,
  person_id bigint not null,
  -- Keyed digest of the token in the email, so that nobody who reads this table can use it.
  digest text not null,
  expires_at timestamptz not null,
  primary key (operator_id, person_id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.password_resets');
