-- The picture of a person, in three sizes; the bytes are blobs that nobody else's picture shares.
create table accounts.avatars (
  operator_id bigint not null,
  person_id bigint not null,
  -- In its address; a new picture has a new one.
  key text not null check (key ~ '^[A-Za-z0-9_-]{22}$'),
  -- Ids of the blobs, the largest first.
  blobs text[] not null check (cardinality(blobs) = 3),
  primary key (operator_id, person_id),
  unique (operator_id, key),
  foreign key (operator_id, person_id) references accounts.people on delete cascade
);

select platform.own_table('accounts.avatars');
