-- Recordings of private shows: the viewer asks for one with the request, and accepting it is the performer's
-- consent. Both are stored with the version of the text that each agreed to.
alter table shows.privates
  add column recording_viewer_at timestamptz,
  add column recording_viewer_version int check (recording_viewer_version > 0),
  add column recording_performer_at timestamptz,
  add column recording_performer_version int check (recording_performer_version > 0),
  -- The performer deleted it, or a part of it: nobody records or plays it any more.
  add column recording_withdrawn_at timestamptz,
  -- It is being recorded now; null before that was tried.
  add column is_recorded boolean,
  -- Length of what was recorded of a show that is over, 0 for nothing; null until that is known.
  add column recorded_ms bigint check (recorded_ms >= 0),
  add constraint privates_recording_consent check (
    (recording_viewer_at is null) = (recording_viewer_version is null)
    and (recording_performer_at is null) = (recording_performer_version is null)
    and (recording_viewer_at is null or recording)
    and (recording_performer_at is null or recording_viewer_at is not null)),
  add constraint privates_recorded check (
    (is_recorded is null or recording_performer_at is not null)
    and (is_recorded is not true or (phase = 'running' and recording_withdrawn_at is null))
    and (recorded_ms is null or (phase = 'ended' and recording_performer_at is not null))
    and (recording_withdrawn_at is null or recording_performer_at is not null));
