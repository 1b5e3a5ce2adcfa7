-- Age checks: attempts under way, and the proofs they gave. Nothing here says who somebody is: no birth date,
-- name, document or picture.
create schema age_checks;

-- A proof, with what it is worth.
create table age_checks.proofs (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- Whose it is: null for a browser without an account, and where a proof counts for one visit.
  person_id bigint,
  provider text not null,
  method text not null,
  liveness text not null,
  is_anonymous boolean not null,
  -- The result: at least so old, in full years.
  minimum_age smallint not null check (minimum_age >= 18),
  proved_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > proved_at),
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index proofs_of_person on age_checks.proofs (operator_id, person_id, proved_at desc)
  where person_id is not null;
select platform.own_table('age_checks.proofs');

-- A check begun. Rows are deleted after a day.
create table age_checks.attempts (
  operator_id bigint not null,
  -- The nonce that the provider repeats.
  id uuid not null,
  kind text not null,
  -- Digest of the session that began it.
  browser text not null,
  person_id bigint,
  -- What the provider knows the check by; null as soon as it is over.
  reference text,
  minimum_age smallint not null check (minimum_age >= 18),
  -- How long the proof will count, and whether for one visit only, by the policy it is given for.
  valid_seconds int not null check (valid_seconds > 0),
  is_visit boolean not null,
  state text not null,
  proof_id bigint,
  -- When the browser got its pass for the proof: once.
  granted_at timestamptz,
  created_at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  check (state = 'pending' or reference is null),
  check ((proof_id is null) = (state <> 'verified')),
  check (granted_at is null or state = 'verified')
);
create unique index attempt_of_reference on age_checks.attempts (operator_id, reference)
  where reference is not null;
create index attempts_of_browser on age_checks.attempts (operator_id, browser, created_at desc);
create index attempts_of_person on age_checks.attempts (operator_id, person_id, created_at desc)
  where person_id is not null;
select platform.own_table('age_checks.attempts');

-- People who asked support.
create table age_checks.support_checks (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  -- What they wrote; deleted with the decision.
  message text,
  minimum_age smallint not null check (minimum_age >= 18),
  valid_seconds int not null check (valid_seconds > 0),
  asked_at timestamptz not null,
  decision text,
  decided_at timestamptz,
  decided_by bigint,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id),
  foreign key (operator_id, decided_by) references accounts.people (operator_id, id),
  check ((decision is null) = (decided_at is null)),
  check ((decision is null) = (message is not null))
);
create unique index open_support_check on age_checks.support_checks (operator_id, person_id)
  where decision is null;
create index open_support_checks on age_checks.support_checks (operator_id, id desc) where decision is null;
create index decided_support_checks on age_checks.support_checks (operator_id, id desc)
  where decision is not null;
create index support_checks_of_person on age_checks.support_checks (operator_id, person_id, id desc);
select platform.own_table('age_checks.support_checks');
