-- Shown without its sender: a tip that was given anonymously.
alter table rooms.messages add column is_anonymous boolean not null default false;
alter table rooms.messages add constraint messages_anonymous_check check (not is_anonymous or kind = 'tip');
