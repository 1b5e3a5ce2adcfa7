create schema identity;

-- What an operator asks of performers; without a row, the defaults of rules.ts.
create table identity.rules (
  operator_id bigint not null,
  requires_evidence boolean not null,
  reviewers smallint not null check (reviewers between 1 and 2),
  minimum_age smallint not null check (minimum_age between 18 and 30),
  primary key (operator_id)
);
select platform.own_table('identity.rules');

-- One application per performer, begun when they become one.
create table identity.applications (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  performer_id bigint not null,
  state text not null default 'open' check (state in ('open', 'waiting', 'second', 'rejected', 'accepted')),
  -- How often it was handed in.
  hand_in int not null default 0 check (hand_in >= 0),
  begun_at timestamptz not null,
  handed_in_at timestamptz,
  -- The clock of retention: from the end of the account, unless a legal hold stops it.
  ceased_at timestamptz,
  retain_until timestamptz,
  legal_hold boolean not null default false,
  erased_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, performer_id),
  unique (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((ceased_at is null) = (retain_until is null)),
  check (state in ('open', 'rejected') or handed_in_at is not null)
);
create index applications_queue on identity.applications (operator_id, handed_in_at, id)
  where state in ('waiting', 'second');
select platform.own_table('identity.applications');

-- Steps that were given or decided; the others are missing.
create table identity.steps (
  operator_id bigint not null,
  performer_id bigint not null,
  step text not null
    check (step in ('who', 'document', 'selfie', 'agreement', 'payout', 'profile', 'test')),
  state text not null check (state in ('missing', 'given', 'accepted', 'rejected')),
  reason text,
  note text not null default '' check (length(note) <= 500),
  given_at timestamptz,
  -- Of the steps that are no secret: the country of payouts.
  country text check (country ~ '^[A-Z]{2}$'),
  primary key (operator_id, performer_id, step),
  foreign key (operator_id, performer_id) references identity.applications (operator_id, performer_id),
  check ((state = 'rejected') = (reason is not null))
);
select platform.own_table('identity.steps');

-- The data key of a person, wrapped by a key derived from the installation's secret. Deleting it makes what
-- it encrypted unreadable for ever.
create table identity.keys (
  operator_id bigint not null,
  performer_id bigint not null,
  wrapped text not null,
  -- Which wrapping key it was.
  wrapped_by text not null,
  made_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index keys_by_wrapping on identity.keys (operator_id, wrapped_by, performer_id);
select platform.own_table('identity.keys');

-- What proves an identity, encrypted: typed facts here, pictures as blobs. A record that evidence names is
-- never changed: another one replaces it.
create table identity.records (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  performer_id bigint not null,
  kind text not null check (kind in ('who', 'document', 'selfie')),
  -- Not encrypted, because it says which pictures are asked for.
  document_kind text check (document_kind in
    ('passport', 'identity_card', 'driving_licence', 'residence_permit')),
  facts text,
  front_blob text,
  back_blob text,
  given_at timestamptz not null,
  replaced_at timestamptz,
  erased_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((kind = 'document') = (document_kind is not null)),
  check (erased_at is null or (facts is null and front_blob is null and back_blob is null))
);
create unique index records_current on identity.records (operator_id, performer_id, kind)
  where replaced_at is null;
select platform.own_table('identity.records');

-- Legal names and aliases as keyed digests, to find a performer by a name without storing it.
create table identity.names (
  operator_id bigint not null,
  performer_id bigint not null,
  digest text not null,
  primary key (operator_id, digest, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index names_of_performer on identity.names (operator_id, performer_id);
select platform.own_table('identity.names');

-- Who decided what about which hand-in. The same person counts once, and nobody decides about themselves.
create table identity.decisions (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  application_id bigint not null,
  performer_id bigint not null,
  hand_in int not null check (hand_in > 0),
  reviewer_id bigint not null,
  verdict text not null check (verdict in ('accept', 'reject', 'second_look')),
  steps jsonb not null,
  note text not null default '' check (length(note) <= 500),
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, application_id, hand_in, reviewer_id),
  unique (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, application_id)
    references identity.applications (operator_id, performer_id, id),
  foreign key (operator_id, reviewer_id) references accounts.people (operator_id, id),
  check (reviewer_id <> performer_id)
);
select platform.own_table('identity.decisions', 'select', 'insert');

-- What a clearance is based on. `seed` is for people who do not exist: those of the demo and of tests.
create table identity.evidence (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  performer_id bigint not null,
  clearance_id bigint not null,
  basis text not null check (basis in ('review', 'seed')),
  who_id bigint,
  document_id bigint,
  selfie_id bigint,
  -- The signed agreement, by the id of the slice that has it.
  agreement text,
  decision_id bigint,
  -- The first of two people, where two were needed.
  seconded_id bigint,
  made_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, clearance_id),
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, who_id) references identity.records (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, document_id)
    references identity.records (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, selfie_id)
    references identity.records (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, decision_id)
    references identity.decisions (operator_id, performer_id, id),
  foreign key (operator_id, performer_id, seconded_id)
    references identity.decisions (operator_id, performer_id, id),
  check (case basis
    when 'review' then who_id is not null and document_id is not null and selfie_id is not null
      and decision_id is not null
    else who_id is null and document_id is null and selfie_id is null and decision_id is null
      and seconded_id is null
  end),
  check (seconded_id <> decision_id)
);
create index evidence_of_performer on identity.evidence (operator_id, performer_id);
select platform.own_table('identity.evidence', 'select', 'insert');
