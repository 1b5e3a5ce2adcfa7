-- A report of a room names the public recording that was shown while nobody was live.
alter table moderation.reports
  add column recording_id bigint,
  add constraint reports_recording check (recording_id is null or kind = 'room');
create index reports_by_recording on moderation.reports (operator_id, subject_id, recording_id)
  where recording_id is not null;
