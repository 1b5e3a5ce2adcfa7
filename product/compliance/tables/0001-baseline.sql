create schema compliance;

-- Every account of type model, with the outcome of the last decision.
create table compliance.performers (
  operator_id bigint not null,
  performer_id bigint not null,
  registered_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'cleared', 'revoked')),
  decided_at timestamptz,
  decided_by bigint,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index performers_desk on compliance.performers (operator_id, status, registered_at, performer_id);
select platform.own_table('compliance.performers');

-- Decisions that a performer's identity, age and consent were verified. Going live needs the id of a valid
-- one. Every row has its evidence: who decided, why, when, and until when. Nobody may delete one.
create table compliance.clearances (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  state text not null default 'valid' check (state in ('valid', 'superseded', 'expired', 'revoked')),
  decided_as text not null check (decided_as in ('person', 'system')),
  decided_by bigint,
  reason text not null check (length(reason) between 3 and 500),
  decided_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_by bigint,
  ended_reason text check (length(ended_reason) between 3 and 500),
  primary key (operator_id, id),
  -- Lets other tables refer to a clearance together with its performer.
  unique (operator_id, performer_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check ((decided_as = 'person') = (decided_by is not null)),
  check (expires_at > decided_at),
  check ((state = 'valid') = (ended_at is null)),
  check (state <> 'revoked' or ended_reason is not null)
);
create unique index clearances_valid on compliance.clearances (operator_id, performer_id)
  where state = 'valid';
select platform.own_table('compliance.clearances', 'select', 'insert', 'update');

-- Regions in which a performer is not shown.
create table compliance.region_blocks (
  operator_id bigint not null,
  performer_id bigint not null,
  regions text[] not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('compliance.region_blocks');

-- Performers who hide themselves from everybody.
create table compliance.hidden (
  operator_id bigint not null,
  performer_id bigint not null,
  since timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('compliance.hidden');
