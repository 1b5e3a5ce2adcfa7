-- Ticket shows from their offer on; times decide about money, so each is stored.
create table shows.ticket_shows (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  phase text not null check (phase in ('offered', 'running', 'ended', 'cancelled')),
  message text not null,
  ticket_price int not null check (ticket_price > 0),
  recording_price int not null default 0 check (recording_price >= 0),
  -- Whoever joined later than so many minutes before the end gets the tokens back.
  refund_minutes int not null check (refund_minutes >= 0),
  minimum_tickets int not null check (minimum_tickets > 0),
  minutes int not null check (minutes > 0),
  sold int not null default 0 check (sold >= 0),
  offered_at timestamptz not null,
  starts_at timestamptz not null,
  started_at timestamptz,
  -- Since when a running show has had no picture.
  away_since timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'completed', 'ended_early', 'unpublish', 'performer', 'too_few_tickets', 'not_started')),
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (refund_minutes <= minutes),
  check ((phase in ('ended', 'cancelled')) = (end_reason is not null)),
  check ((end_reason is null) = (ended_at is null)),
  check ((phase in ('running', 'ended')) = (started_at is not null))
);
create unique index ticket_shows_open on shows.ticket_shows (operator_id, performer_id)
  where phase in ('offered', 'running');
create index ticket_shows_of_performer on shows.ticket_shows (operator_id, performer_id, id desc);
select platform.own_table('shows.ticket_shows');

-- Tickets: the price each was bought for is held until the show is over.
create table shows.tickets (
  operator_id bigint not null,
  id bigint generated always as identity,
  show_id bigint not null,
  viewer_id bigint not null,
  price int not null check (price > 0),
  bought_at timestamptz not null,
  state text not null check (state in ('held', 'paid', 'returned')),
  settled_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, show_id, viewer_id),
  foreign key (operator_id, show_id) references shows.ticket_shows (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index tickets_of_viewer on shows.tickets (operator_id, viewer_id, id desc);
create index tickets_held on shows.tickets (operator_id, show_id, id) where state = 'held';
select platform.own_table('shows.tickets');
