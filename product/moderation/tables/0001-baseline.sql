-- Reports with the content as it was then, retained until an admin has decided and for a while after.
create schema moderation;

create table moderation.reports (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  kind text not null check (kind in ('message', 'person', 'room', 'bio', 'picture', 'post', 'recording')),
  subject_id bigint not null,
  -- Performer whose room or page it is in; equals the subject except for messages.
  room_id bigint not null,
  target_id bigint,
  within text,
  snapshot text not null,
  -- Null for a guest, and for an erased person.
  reporter_id bigint,
  reason text not null,
  details text not null,
  at timestamptz not null,
  closed_at timestamptz,
  closed_by bigint,
  outcome text,
  note text not null default '',
  -- Blob with a copy of the reported picture, because deleted pictures are judged too. Reports of one picture
  -- share it.
  picture_blob text,
  -- Network of a guest while the report is open: guests of one network share a limit.
  network text,
  -- For a report of a room, the public recording that played there while nobody was live.
  recording_id bigint,
  primary key (operator_id, id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id),
  foreign key (operator_id, room_id) references accounts.people (operator_id, id),
  foreign key (operator_id, reporter_id) references accounts.people (operator_id, id),
  foreign key (operator_id, closed_by) references accounts.people (operator_id, id),
  check (subject_id is distinct from reporter_id),
  check ((closed_at is null) = (outcome is null)),
  constraint reports_network check (network is null or (reporter_id is null and closed_at is null)),
  constraint reports_recording check (recording_id is null or kind = 'room')
);
create index open_reports on moderation.reports (operator_id, id desc) where closed_at is null;
create index closed_reports on moderation.reports (operator_id, id desc) where closed_at is not null;
create index reports_of_person on moderation.reports (operator_id, reporter_id);
create index reports_on_person on moderation.reports (operator_id, subject_id);
create index reports_by_closing on moderation.reports (operator_id, closed_at) where closed_at is not null;
create index reports_of_guests on moderation.reports (operator_id, network)
  where closed_at is null and reporter_id is null;
create index reports_by_picture on moderation.reports (operator_id, picture_blob)
  where picture_blob is not null;
create index reports_by_recording on moderation.reports (operator_id, subject_id, recording_id)
  where recording_id is not null;
select platform.own_table('moderation.reports');
