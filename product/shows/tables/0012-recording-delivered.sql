-- Whether the buyers of a recording got it: decided once, when the first of them are settled.
-- Shows that were settled before keep what was decided then.
alter table shows.ticket_shows
  add column is_recording_delivered boolean,
  add constraint ticket_shows_recording_delivered check (
    is_recording_delivered is null or end_reason is not null);
