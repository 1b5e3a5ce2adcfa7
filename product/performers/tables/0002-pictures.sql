-- Pictures on the page of a performer, in their order. The bytes are blobs that no other picture shares.
create table performers.pictures (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  performer_id bigint not null,
  -- The clearance that was valid when it was published.
  clearance_id bigint not null,
  -- In its address.
  key text not null check (key ~ '^[A-Za-z0-9_-]{22}$'),
  -- Ids of the blobs: whole, then the thumbnail.
  blobs text[] not null check (cardinality(blobs) = 2),
  width int not null check (width > 0),
  height int not null check (height > 0),
  caption text not null default '' check (length(caption) <= 120),
  position int not null,
  created_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, key),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id)
);
create index pictures_of_performer on performers.pictures (operator_id, performer_id, position, id);

select platform.own_table('performers.pictures');
