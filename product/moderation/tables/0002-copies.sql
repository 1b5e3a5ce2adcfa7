-- A report has a copy of the picture that it is about, for what is deleted meanwhile is judged, too.
alter table moderation.reports
  -- Id of the blob; reports of one picture share it.
  add column picture_blob text,
  -- Of a guest, while the report is open: guests of one network share a limit.
  add column network text,
  add constraint reports_network check (network is null or (reporter_id is null and closed_at is null));
create index reports_of_guests on moderation.reports (operator_id, network)
  where closed_at is null and reporter_id is null;
create index reports_by_picture on moderation.reports (operator_id, picture_blob)
  where picture_blob is not null;
