-- Policies of places by day, as an operator's people proposed and approved them. An approved row wins over
-- the committed table for its place. Rows are never deleted: they say what visitors met, and who answers
-- for it.
create table compliance.region_policies (
  operator_id bigint not null,
  id bigint generated always as identity,
  region text not null check (region ~ '^([A-Z]{2}(-[A-Z0-9]{1,3})?|\*)$'),
  from_day date not null,
  -- The last day in force; null for good.
  until_day date,
  time_zone text not null check (length(time_zone) between 1 and 64),
  rule text not null check (rule in ('declare', 'verify', 'blocked')),
  minimum_age integer not null check (minimum_age between 18 and 99),
  methods text[] not null,
  liveness text not null check (liveness in ('none', 'passive', 'active')),
  -- `session`, `good`, or a number of days.
  proof_lasts text not null check (proof_lasts ~ '^(session|good|[1-9][0-9]{0,2})$'),
  anonymous boolean not null,
  vpn_class text not null check (vpn_class in ('as_place', 'strictest', 'refused')),
  -- What the entry gate shows, by language.
  texts jsonb not null default '{}' check (jsonb_typeof(texts) = 'object'),
  source text not null check (length(source) between 8 and 500),
  note text not null default '' check (length(note) <= 1000),
  -- Counsel has confirmed the row, as its proposer says.
  is_confirmed boolean not null,
  state text not null default 'proposed'
    check (state in ('proposed', 'approved', 'rejected', 'withdrawn')),
  proposed_by bigint not null,
  proposed_at timestamptz not null,
  -- The second person, who approved or rejected it.
  decided_by bigint,
  decided_at timestamptz,
  decided_reason text check (length(decided_reason) between 3 and 500),
  withdrawn_by bigint,
  withdrawn_at timestamptz,
  withdrawn_reason text check (length(withdrawn_reason) between 3 and 500),
  primary key (operator_id, id),
  foreign key (operator_id, proposed_by) references accounts.people (operator_id, id),
  foreign key (operator_id, decided_by) references accounts.people (operator_id, id),
  foreign key (operator_id, withdrawn_by) references accounts.people (operator_id, id),
  check (until_day is null or until_day >= from_day),
  check ((rule = 'verify') = (cardinality(methods) > 0)),
  check (decided_by <> proposed_by),
  check (state not in ('approved', 'rejected') or (decided_by is not null and decided_at is not null)),
  check (state <> 'rejected' or decided_reason is not null),
  check ((state = 'withdrawn') = (withdrawn_by is not null)),
  check ((withdrawn_by is null) = (withdrawn_at is null)),
  check ((withdrawn_by is null) = (withdrawn_reason is null))
);
create index region_policies_waiting on compliance.region_policies (operator_id, state, id desc);
create index region_policies_place on compliance.region_policies (operator_id, region, id desc);
select platform.own_table('compliance.region_policies', 'select', 'insert', 'update');
