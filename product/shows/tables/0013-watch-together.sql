-- The video that the two of a private show watch together, as the performer changed it last: it goes with the
-- show, and with the recording.
alter table shows.privates
  add column watch_id bigint,
  add column watch_length_ms int check (watch_length_ms > 0),
  add column watch_position_ms int check (watch_position_ms between 0 and watch_length_ms),
  add column watch_is_playing boolean,
  add column watch_at timestamptz,
  add constraint privates_watching check (
    num_nonnulls(watch_id, watch_length_ms, watch_position_ms, watch_is_playing, watch_at) in (0, 5)
    and (watch_id is null or phase = 'running'));
