-- The still picture of a performer: shown in listings and while she is offline. The bytes are a blob.
create table broadcast.portraits (
  operator_id bigint not null,
  performer_id bigint not null,
  blob_id text not null check (blob_id ~ '^[0-9a-f]{64}$'),
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

select platform.own_table('broadcast.portraits');
