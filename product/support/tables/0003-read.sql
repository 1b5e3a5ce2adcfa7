-- The last message of their conversation that a person has seen. Nobody is told of answers of long ago.
alter table support.conversations add column read_message_id bigint not null default 0;
update support.conversations set read_message_id = last_message_id;
