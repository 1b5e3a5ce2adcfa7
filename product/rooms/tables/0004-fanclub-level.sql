-- What the sender was in the performer's fan club when the message was shown.
alter table rooms.messages add column fanclub_level text
  check (fanclub_level in ('supporter', 'insider', 'legend'));
