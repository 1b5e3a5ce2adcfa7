-- Recordings of shows that their performer deleted while a report of them was open: for whoever decides on
-- the report alone, and no longer than it is open.
create table recordings.evidence (
  operator_id bigint not null,
  -- That of the recording.
  id bigint not null,
  performer_id bigint not null,
  mode text not null check (mode in ('limited', 'private')),
  show_id bigint not null,
  file text not null,
  duration_ms bigint not null check (duration_ms >= 0),
  deleted_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, file),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index evidence_of_show on recordings.evidence (operator_id, performer_id, mode, show_id);
select platform.own_table('recordings.evidence');
