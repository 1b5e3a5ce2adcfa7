-- Recordings of private shows: of the show's own stream, for its performer and for the one viewer of it.
-- Shows of each kind count their own ids, so that the mode says whose `show_id` is.
alter table recordings.recordings
  drop constraint recordings_mode_check,
  drop constraint recordings_show_check;
alter table recordings.recordings
  add constraint recordings_mode_check check (mode in ('public', 'limited', 'private')),
  add constraint recordings_show_check check ((mode = 'public') = (show_id is null));
drop index recordings.recordings_of_show;
create index recordings_of_show on recordings.recordings (operator_id, mode, show_id, id)
  where show_id is not null;
