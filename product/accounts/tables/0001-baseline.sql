-- People, how they prove who they are, and their sessions.
create schema accounts;

-- People who have an account.
create table accounts.people (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- Site where the person signed up.
  site_id bigint not null,
  -- In lower case; the display name keeps the person's own spelling.
  username text not null check (username = lower(username)),
  display_name text not null,
  email text not null check (email = lower(email)),
  email_confirmed_at timestamptz,
  type text not null check (type in ('user', 'model')),
  gender text check (gender in ('f', 'm', 't', 'c')),
  birth_date date not null,
  about text not null default '',
  languages text[] not null default '{}',
  avatar_url text,
  roles text[] not null default '{}'
    check (roles <@ array['site_mod', 'model_admin', 'admin', 'super_admin', 'test_user', 'remote_logging']),
  -- Only settings that the person changed; rules.ts has the defaults.
  settings jsonb not null default '{}',
  suspended_at timestamptz,
  created_at timestamptz not null,
  -- Country of the last log-in (ISO 3166-1 alpha-2), because some countries close buying and tipping. Null if
  -- unknown.
  last_login_country text check (last_login_country ~ '^[A-Z]{2}$'),
  -- Null until the first log-in. No email is sent about the first one.
  last_login_at timestamptz,
  -- The person's pages on other services, by service. Nobody verifies them.
  social_media jsonb not null default '{}',
  -- Equal for names that look alike, so that nobody takes a name which passes for another. The same rule as
  -- `skeletonOf` in rules/life/usernames.ts.
  skeleton text not null
    generated always as (replace(replace(translate(username, '01_', 'ol-'), 'rn', 'm'), 'vv', 'w')) stored,
  username_changed_at timestamptz,
  -- The mailbox that receives the address's email. The same rule as `mailboxOf` in rules/life/mailboxes.ts.
  mailbox text not null generated always as (
    case when email ~ '@(gmail|googlemail)\.com$'
      then replace(split_part(regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@'), '@', 1), '.', '')
        || '@gmail.com'
      else regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@')
    end
  ) stored,
  -- Deletion hides a person at once and erases them after 30 days.
  deletion_requested_at timestamptz,
  -- The deletion can become final from this time on.
  deletion_at timestamptz,
  -- From this time on, nothing restores the account.
  erasing_since timestamptz,
  -- From this time on, only an id and a pseudonym are left.
  erased_at timestamptz,
  -- Number of account recoveries. Sealed tokens of a person contain it, so that each recovery ends the
  -- earlier ones.
  recoveries int not null default 0,
  -- Time of the last recovery, and the time from which log-in methods that were new then are known to be the
  -- person's.
  recovered_at timestamptz,
  ways_in_checked_at timestamptz,
  -- Time since which the account's holder is known to read email at the address. A link opened in somebody
  -- else's browser confirms the address, but proves nothing about the holder.
  address_proven_at timestamptz,
  -- What a suspended person reads: a cause that has a text, and a message from staff.
  suspension_cause text
    check (suspension_cause in ('terms', 'payment', 'conduct', 'age', 'security', 'other')),
  suspension_message text not null default '',
  -- A recovery asks the person to review log-in methods added since this time.
  ways_in_since timestamptz,
  primary key (operator_id, id),
  unique (operator_id, username),
  check ((deletion_requested_at is null) = (deletion_at is null)),
  check (erasing_since is null or deletion_at <= erasing_since),
  check (erased_at is null or erasing_since <= erased_at)
);
create index people_performers on accounts.people (operator_id, id) where type = 'model';
create unique index people_email_owner on accounts.people (operator_id, email)
  where email_confirmed_at is not null;
create index people_email on accounts.people (operator_id, email, id);
create index people_skeleton on accounts.people (operator_id, skeleton);
create index people_mailbox on accounts.people (operator_id, mailbox);
-- New usernames must differ from all others by more than separators. The same rule as `bareOf` in
-- rules/life/usernames.ts.
create index people_bare on accounts.people (operator_id, (translate(username, '_-', '')));
-- Names that look alike once separators are removed. The same rule as `bareLookOf` in
-- rules/life/usernames.ts.
create index people_bare_look on accounts.people
  (operator_id, (replace(replace(translate(username, '01_-', 'ol'), 'rn', 'm'), 'vv', 'w')));
select platform.own_table('accounts.people');

-- A table of its own, so that no query for a person returns the hash by accident.
create table accounts.passwords (
  operator_id bigint not null,
  person_id bigint not null,
  -- PHC string: algorithm, parameters, salt and hash.
  hash text not null,
  changed_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.passwords');

create table accounts.sessions (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- Keyed digest of the cookie, so that the table's readers cannot log in with it.
  digest text not null,
  person_id bigint not null,
  created_at timestamptz not null,
  renewed_at timestamptz not null,
  expires_at timestamptz not null,
  -- Shown to the person to recognize the session. The whole user agent and address are never stored.
  browser text not null default '' check (length(browser) <= 40),
  platform text not null default '' check (length(platform) <= 40),
  region text not null default 'unknown' check (length(region) <= 16),
  -- Time at which the session passed a second factor; null for a log-in by password or provider alone, and
  -- for sessions older than this column, whose staff log in again.
  stepped_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index sessions_of_person on accounts.sessions (operator_id, person_id, id);
select platform.own_table('accounts.sessions');

-- Redeemed node tokens, retained until they would have expired.
create table accounts.spent_tokens (
  operator_id bigint not null,
  nonce text not null,
  expires_at timestamptz not null,
  primary key (operator_id, nonce)
);
create index spent_tokens_expiry on accounts.spent_tokens (operator_id, expires_at);
select platform.own_table('accounts.spent_tokens');

-- The latest password reset of each person.
create table accounts.password_resets (
  operator_id bigint not null,
  person_id bigint not null,
  -- Keyed digest of the token in the email, so that the table's readers cannot use it.
  digest text not null,
  expires_at timestamptz not null,
  primary key (operator_id, person_id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.password_resets');

-- Authenticator apps (RFC 6238). A row has no effect until it is confirmed.
create table accounts.two_factor (
  operator_id bigint not null,
  person_id bigint not null,
  -- The shared secret, encrypted under the site's secret. It cannot be a digest: checking a code needs it.
  secret text not null,
  confirmed_at timestamptz,
  -- Time step of the last accepted code, so that no code is accepted twice.
  last_step bigint not null default 0,
  created_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.two_factor');

-- Single-use codes for a lost authenticator app, as keyed digests.
create table accounts.recovery_codes (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  primary key (operator_id, person_id, digest),
  foreign key (operator_id, person_id) references accounts.two_factor on delete cascade
);
select platform.own_table('accounts.recovery_codes');

-- Passkeys (WebAuthn Level 3). Only public keys, so that the table's readers cannot log in with them.
create table accounts.passkeys (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- Assigned by the authenticator, base64url.
  credential_id text not null check (length(credential_id) <= 1364),
  -- COSE, base64url.
  public_key text not null check (length(public_key) <= 8192),
  -- Signature counter of the authenticator; 0 if it has none.
  counter bigint not null,
  -- Host name for which the passkey was created. Browsers offer it nowhere else.
  host text not null,
  transports text[] not null default '{}',
  name text not null check (length(name) <= 40),
  created_at timestamptz not null,
  used_at timestamptz,
  -- Whether the authenticator verified its owner when this passkey was used. Only such a passkey is a second
  -- factor for staff. Unknown, and so false, for passkeys that are older than this column, unless staff owned
  -- them; the next log-in with one shows it.
  is_verified boolean not null default false,
  primary key (operator_id, id),
  unique (operator_id, credential_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index passkeys_of_person on accounts.passkeys (operator_id, person_id, id);
select platform.own_table('accounts.passkeys');

-- Accounts at other providers (OpenID Connect, OAuth 2.0) that log a person in.
create table accounts.identities (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  provider text not null check (provider in ('google', 'facebook')),
  -- The provider's permanent id of the account. An email address may change hands.
  subject text not null check (length(subject) <= 255),
  -- Address from the provider, shown so that the person recognizes the account.
  email text check (length(email) <= 254),
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, provider, subject),
  unique (operator_id, person_id, provider),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.identities');

-- Networks from which a person logged in, as keyed digests. A log-in from a new one needs a code.
create table accounts.login_networks (
  operator_id bigint not null,
  person_id bigint not null,
  digest text not null,
  seen_at timestamptz not null,
  primary key (operator_id, person_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.login_networks');

-- The single-use code sent to a person who logs in from a new network.
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
select platform.own_table('accounts.login_codes');

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
create index former_usernames_bare on accounts.former_usernames
  (operator_id, (translate(username, '_-', '')));
create index former_usernames_bare_look on accounts.former_usernames
  (operator_id, (replace(replace(translate(username, '01_-', 'ol'), 'rn', 'm'), 'vv', 'w')));
select platform.own_table('accounts.former_usernames');

-- The new address a person asked for, until they confirm it.
create table accounts.email_changes (
  operator_id bigint not null,
  person_id bigint not null,
  email text not null check (email = lower(email) and length(email) <= 254),
  asked_at timestamptz not null,
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.email_changes');

-- Profile picture in three sizes. Its blobs are not shared with other pictures.
create table accounts.avatars (
  operator_id bigint not null,
  person_id bigint not null,
  -- Part of the picture's address; every new picture gets a new one.
  key text not null check (key ~ '^[A-Za-z0-9_-]{22}$'),
  -- Ids of the blobs, largest first.
  blobs text[] not null check (cardinality(blobs) = 3),
  primary key (operator_id, person_id),
  unique (operator_id, key),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
select platform.own_table('accounts.avatars');

-- Accounts of one person that can switch to each other, one row for each direction.
create table accounts.linked (
  operator_id bigint not null,
  person_id bigint not null,
  other_id bigint not null check (other_id <> person_id),
  linked_at timestamptz not null,
  primary key (operator_id, person_id, other_id),
  foreign key (operator_id, person_id) references accounts.people on delete cascade,
  foreign key (operator_id, other_id) references accounts.people on delete cascade
);
create index linked_other on accounts.linked (operator_id, other_id);
select platform.own_table('accounts.linked');

-- Usernames of erased people, which nobody else may take for a year. Keyed digests, so that they identify
-- nobody.
create table accounts.retired_names (
  operator_id bigint not null,
  digest text not null,
  -- Digest of the form that names which look alike have in common.
  skeleton_digest text not null,
  was_performer boolean not null,
  retired_at timestamptz not null,
  -- Digest of the name without separators; null for names retired before this column existed.
  bare_digest text,
  primary key (operator_id, digest)
);
create index retired_names_skeleton on accounts.retired_names (operator_id, skeleton_digest);
create index retired_names_bare on accounts.retired_names (operator_id, bare_digest);
select platform.own_table('accounts.retired_names');

-- Telephone numbers confirmed by a code: text messages go there. A number belongs to one account at a time.
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
select platform.own_table('accounts.phones');

-- The single-use code sent to a number, valid for one person and that number alone.
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
select platform.own_table('accounts.phone_codes');

-- The link that makes somebody the first admin. Deleted once it is used or there is an admin.
create table accounts.first_admin_links (
  operator_id bigint not null,
  -- Keyed digest of the token, so that the table's readers cannot use it.
  digest text not null,
  expires_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('accounts.first_admin_links');

-- Confirmed addresses that were replaced. The link in the email about the change restores one for 30 days.
create table accounts.former_emails (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  email text not null check (email = lower(email) and length(email) <= 254),
  -- Whether the account's holder was known to read email at this address.
  was_proven boolean not null,
  -- Keyed digest of the token in the email.
  digest text not null,
  replaced_at timestamptz not null,
  -- Time at which the link of this or of an older address was used.
  ended_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, digest),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);
create index former_emails_person on accounts.former_emails (operator_id, person_id, id);
select platform.own_table('accounts.former_emails');
