-- People who delete their account: hidden at once, erased after 30 days.
alter table accounts.people
  add column deletion_requested_at timestamptz,
  -- From when on it can become final.
  add column deletion_at timestamptz,
  -- Since then nothing brings the account back.
  add column erasing_since timestamptz,
  -- Only an id and a pseudonym are left.
  add column erased_at timestamptz,
  add check ((deletion_requested_at is null) = (deletion_at is null)),
  add check (erasing_since is null or deletion_at <= erasing_since),
  add check (erased_at is null or erasing_since <= erased_at);

-- Usernames of people who were erased: nobody else gets one for a year. Keyed digests: they name nobody.
create table accounts.retired_names (
  operator_id bigint not null,
  digest text not null,
  -- Of the form that names have which look the same.
  skeleton_digest text not null,
  was_performer boolean not null,
  retired_at timestamptz not null,
  primary key (operator_id, digest)
);
create index retired_names_skeleton on accounts.retired_names (operator_id, skeleton_digest);
select platform.own_table('accounts.retired_names');
