-- The line of the room's chat that offers a show, by its number in the room's log; null for shows of before.
alter table shows.ticket_shows add column chat_line bigint check (chat_line > 0);
