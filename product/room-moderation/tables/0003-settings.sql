-- Days after which a moderator's rights end; null for the usual number.
alter table room_moderation.rules add column moderator_days int check (moderator_days between 1 and 365);

-- Whom the rules of a room silenced, whatever the room: everybody asks it of themselves with each page.
create index restrictions_autosilenced on room_moderation.restrictions (operator_id, person_id)
  where ended_at is null and kind = 'silenced' and by_id is null;
