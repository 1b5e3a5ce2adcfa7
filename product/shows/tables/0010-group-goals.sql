-- Goals that viewers give to together: nobody pays for one that is not reached.
create table shows.group_goals (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  title text not null,
  tokens int not null check (tokens > 0),
  progress int not null default 0,
  started_at timestamptz not null,
  ends_at timestamptz not null,
  -- Since when the performer is offline.
  away_since timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in ('reached', 'time_over', 'withdrawn', 'offline')),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (progress between 0 and tokens),
  check ((end_reason is null) = (ended_at is null)),
  check (end_reason is distinct from 'reached' or progress = tokens)
);
create unique index group_goals_open on shows.group_goals (operator_id, performer_id)
  where end_reason is null;
create index group_goals_of_performer on shows.group_goals (operator_id, performer_id, id desc);
select platform.own_table('shows.group_goals');

-- What viewers gave, each with the operation that holds it.
create table shows.group_goal_gifts (
  operator_id bigint not null,
  id bigint generated always as identity,
  goal_id bigint not null,
  viewer_id bigint not null,
  -- Id of the hold: the same request never gives twice.
  operation uuid not null,
  asked int not null check (asked > 0),
  tokens int not null check (tokens > 0 and tokens <= asked),
  given_at timestamptz not null,
  state text not null check (state in ('held', 'paid', 'returned')),
  settled_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, operation),
  foreign key (operator_id, goal_id) references shows.group_goals (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index group_goal_gifts_of_viewer on shows.group_goal_gifts (operator_id, viewer_id, id desc);
create index group_goal_gifts_held on shows.group_goal_gifts (operator_id, goal_id, id) where state = 'held';
create index group_goal_gifts_of_goal on shows.group_goal_gifts (operator_id, goal_id, viewer_id);
select platform.own_table('shows.group_goal_gifts');
