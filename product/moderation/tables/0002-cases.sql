-- Cases with their history, and the requests of people without an account.
create table moderation.cases (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  kind text not null check (
    kind in ('message', 'person', 'room', 'bio', 'picture', 'post', 'recording', 'address')
  ),
  reason text not null check (
    reason in ('take_down', 'copyright', 'complaint', 'underage', 'non_consensual', 'illegal', 'harassment',
      'impersonation', 'spam', 'other')
  ),
  -- Whose content it is; null while nobody knows.
  subject_id bigint,
  opened_at timestamptz not null,
  -- What follows from the events (`rules/cases.ts`), for lists.
  status text not null check (status in ('open', 'decided', 'appealed', 'reversed')),
  claimed_by bigint,
  is_escalated boolean not null,
  due_at timestamptz,
  decided_at timestamptz,
  primary key (operator_id, id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id),
  foreign key (operator_id, claimed_by) references accounts.people (operator_id, id),
  check ((due_at is not null) = (status in ('open', 'appealed')))
);
create index waiting_cases on moderation.cases (operator_id, id) where due_at is not null;
create index closed_cases on moderation.cases (operator_id, id desc) where due_at is null;
create index cases_by_decision on moderation.cases (operator_id, decided_at) where due_at is null;
create index cases_of_subject on moderation.cases (operator_id, subject_id);
select platform.own_table('moderation.cases');

-- What happened to a case, in its order. Events are only added; they go with their case.
create table moderation.events (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  case_id bigint not null,
  kind text not null check (
    kind in ('report', 'note', 'claim', 'release', 'escalate', 'hide', 'hide_failed', 'decide', 'appeal',
      'uphold', 'reverse')
  ),
  at timestamptz not null,
  -- The member of staff; null for the site itself and for people outside.
  by_id bigint,
  -- Values of the kind, without personal text.
  detail jsonb not null,
  primary key (operator_id, id),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade,
  foreign key (operator_id, by_id) references accounts.people (operator_id, id)
);
create index events_of_case on moderation.events (operator_id, case_id, id);
select platform.own_table('moderation.events', 'select', 'insert');

-- What somebody typed with an event, apart from it so that it can be erased.
create table moderation.texts (
  operator_id bigint not null,
  event_id bigint not null,
  text text not null,
  primary key (operator_id, event_id),
  foreign key (operator_id, event_id) references moderation.events (operator_id, id) on delete cascade
);
select platform.own_table('moderation.texts');

-- The queues that an operator has set, in their order; without any, those of `rules/queues.ts`.
create table moderation.queues (
  operator_id bigint not null,
  position int not null check (position >= 0),
  name text not null check (name <> ''),
  -- Empty takes all.
  kinds text[] not null,
  reasons text[] not null,
  hours int not null check (hours > 0),
  primary key (operator_id, position)
);
select platform.own_table('moderation.queues');

-- What people send by the public forms. The key of their link is stored as a digest.
create table moderation.requests (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  case_id bigint not null,
  reference text not null,
  key_digest text not null,
  kind text not null check (kind in ('take_down', 'copyright', 'complaint')),
  relation text not null check (relation in ('self', 'representative', 'other')),
  name text not null,
  email text not null,
  locale text not null,
  addresses text[] not null check (cardinality(addresses) > 0),
  statement text not null,
  -- Of a copyright notice: the work.
  work text,
  signature text not null,
  -- Network of the sender while the case waits.
  network text,
  at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, reference),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade
);
create index requests_of_case on moderation.requests (operator_id, case_id);
create index requests_by_network on moderation.requests (operator_id, network) where network is not null;
select platform.own_table('moderation.requests');

-- Reasons given to whoever a decision restricts, in the shape of the EU's transparency database.
create table moderation.statements (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  case_id bigint not null,
  person_id bigint not null,
  puid text not null,
  reference text not null,
  key_digest text not null,
  record jsonb not null,
  at timestamptz not null,
  -- When the decision was reversed.
  withdrawn_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, puid),
  unique (operator_id, reference),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade,
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index statements_of_case on moderation.statements (operator_id, case_id);
create index statements_of_person on moderation.statements (operator_id, person_id);
select platform.own_table('moderation.statements');

create table moderation.strikes (
  operator_id bigint not null,
  case_id bigint not null,
  person_id bigint not null,
  at timestamptz not null,
  expires_at timestamptz not null,
  removed_at timestamptz,
  primary key (operator_id, case_id),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade,
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index strikes_of_person on moderation.strikes (operator_id, person_id);
select platform.own_table('moderation.strikes');

-- Suspensions that decisions ask for. `applied_at` is when the present suspension of the person began, if it
-- is for this case.
create table moderation.suspensions (
  operator_id bigint not null,
  case_id bigint not null,
  person_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz,
  applied_at timestamptz,
  ended_at timestamptz,
  primary key (operator_id, case_id),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade,
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index suspensions_of_person on moderation.suspensions (operator_id, person_id);
select platform.own_table('moderation.suspensions');

-- Content that a case has hidden or removed, and what its owner needs to restore it.
create table moderation.removals (
  operator_id bigint not null,
  case_id bigint not null,
  kind text not null,
  subject_id bigint not null,
  target_id bigint,
  within text,
  at timestamptz not null,
  restored_at timestamptz,
  primary key (operator_id, case_id),
  foreign key (operator_id, case_id) references moderation.cases (operator_id, id) on delete cascade,
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id)
);
create index removals_of_person on moderation.removals (operator_id, subject_id);
select platform.own_table('moderation.removals');

-- Each report is a case. Rows of before get the id of their report, and events that say what was known.
alter table moderation.reports add column case_id bigint;
alter table moderation.reports no force row level security;
alter table moderation.cases no force row level security;
alter table moderation.events no force row level security;
insert into moderation.cases (
  operator_id, id, kind, reason, subject_id, opened_at, status, is_escalated, due_at, decided_at
) overriding system value
select operator_id, id, kind, reason, subject_id, at,
  case when closed_at is null then 'open' else 'decided' end, false,
  case when closed_at is null then at + interval '168 hours' end, closed_at
from moderation.reports;
select setval(
  pg_get_serial_sequence('moderation.cases', 'id'),
  greatest((select max(id) from moderation.cases), 1),
  exists (select from moderation.cases)
);
insert into moderation.events (operator_id, case_id, kind, at, detail)
select operator_id, id, 'report', at, '{"clock": "queue", "queueHours": 168}' from moderation.reports;
insert into moderation.events (operator_id, case_id, kind, at, by_id, detail)
select operator_id, id, 'decide', closed_at, closed_by, jsonb_build_object(
  'policy', 'terms', 'outcome', outcome,
  'actions', '{"removes": false, "warns": false, "suspends": null}'::jsonb
)
from moderation.reports where closed_at is not null;
update moderation.reports set case_id = id;
alter table moderation.reports force row level security;
alter table moderation.cases force row level security;
alter table moderation.events force row level security;
alter table moderation.reports add foreign key (operator_id, case_id)
  references moderation.cases (operator_id, id);
create index reports_of_case on moderation.reports (operator_id, case_id);
