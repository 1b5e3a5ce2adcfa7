-- Confirmed addresses that another replaced: the link in the email about it puts one back for 30 days.
create table accounts.former_emails (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  email text not null check (email = lower(email) and length(email) <= 254),
  -- Whether the account's holder was known to read its mail.
  was_proven boolean not null,
  -- Keyed digest of the token in the email.
  digest text not null,
  replaced_at timestamptz not null,
  -- Since the link was used, or the one of an older address.
  ended_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index former_emails_person on accounts.former_emails (operator_id, person_id, id);
select platform.own_table('accounts.former_emails');

-- Ways in that were added since are to be looked at after a recovery.
alter table accounts.people add column ways_in_since timestamptz;
update accounts.people set ways_in_since = recovered_at - interval '30 days' where recovered_at is not null;
