-- The show that a tip was given in: what it sets off is shown in the chat of that show alone.
alter table tips.effects add column show_chat text;
