-- Recordings of ticket shows: of the show's own stream, for its performer and for whoever bought them.
-- A performer's other recordings stay public ones.
alter table recordings.recordings drop constraint recordings_mode_check;
alter table recordings.recordings
  add column show_id bigint,
  add constraint recordings_mode_check check (mode in ('public', 'limited')),
  add constraint recordings_show_check check ((mode = 'limited') = (show_id is not null)),
  add constraint recordings_id_mode unique (operator_id, id, mode);
create index recordings_of_show on recordings.recordings (operator_id, show_id, id) where show_id is not null;

-- The video of an empty room is for everybody: it can only be a public recording.
alter table recordings.choices
  add column offline_mode text not null default 'public' check (offline_mode = 'public'),
  add foreign key (operator_id, offline_recording_id, offline_mode)
    references recordings.recordings (operator_id, id, mode) on delete set null (offline_recording_id);
