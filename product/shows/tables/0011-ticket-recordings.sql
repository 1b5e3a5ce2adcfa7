-- Recordings of ticket shows: agreed with the offer, sold while the show runs, and paid with its tickets.
alter table shows.ticket_shows
  add column recording_consent_at timestamptz,
  add column recording_consent_version int check (recording_consent_version > 0),
  -- The performer deleted it, or a part of it: nobody records, sells or plays it any more.
  add column recording_withdrawn_at timestamptz,
  -- It is being recorded now: what can be sold.
  add column is_recorded boolean not null default false,
  -- Length of what was recorded of a show that ran as agreed; null for nothing that can be watched.
  add column recorded_ms bigint check (recorded_ms > 0),
  add constraint ticket_shows_recording_consent check (
    (recording_price > 0) = (recording_consent_at is not null)
    and (recording_consent_at is null) = (recording_consent_version is null)),
  add constraint ticket_shows_recorded check (
    (not is_recorded or (phase = 'running' and recording_price > 0 and recording_withdrawn_at is null))
    and (recorded_ms is null
      or (end_reason = 'completed' and recording_price > 0 and recording_withdrawn_at is null)));
create index ticket_shows_recorded_newest on shows.ticket_shows (operator_id, id desc)
  where recorded_ms is not null;

-- A recording is bought with a ticket in hand; what it was bought for is held until the show is over.
create table shows.ticket_recordings (
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
  foreign key (operator_id, show_id, viewer_id) references shows.tickets (operator_id, show_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check ((state = 'held') = (settled_at is null))
);
create index ticket_recordings_of_viewer on shows.ticket_recordings (operator_id, viewer_id, id desc);
select platform.own_table('shows.ticket_recordings');
