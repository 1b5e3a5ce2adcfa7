-- Usernames can change; what somebody was called before stays theirs for a time.

-- The same for names that look the same; `skeletonOf` in rules/life/usernames.ts says the same.
alter table accounts.people
  add column skeleton text not null
    generated always as (replace(replace(translate(username, '01_', 'ol-'), 'rn', 'm'), 'vv', 'w')) stored,
  add column username_changed_at timestamptz;
create index people_skeleton on accounts.people (operator_id, skeleton);

create table accounts.former_usernames (
  operator_id bigint not null,
  username text not null,
  skeleton text not null
    generated always as (replace(replace(translate(username, '01_', 'ol-'), 'rn', 'm'), 'vv', 'w')) stored,
  person_id bigint not null,
  given_up_at timestamptz not null,
  primary key (operator_id, username),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index former_usernames_skeleton on accounts.former_usernames (operator_id, skeleton);
create index former_usernames_person on accounts.former_usernames (operator_id, person_id);

-- The address somebody wants instead of theirs, until they confirm it.
create table accounts.email_changes (
  operator_id bigint not null,
  person_id bigint not null,
  email text not null check (email = lower(email) and length(email) <= 254),
  asked_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

select platform.own_table('accounts.former_usernames');
select platform.own_table('accounts.email_changes');
