-- Posts of fan clubs.
create table fanclubs.posts (
  operator_id bigint not null,
  id bigint generated always as identity,
  performer_id bigint not null,
  -- The clearance that was valid when it, or its picture, was published.
  clearance_id bigint not null,
  audience text not null check (audience in ('everyone', 'supporter', 'insider', 'legend')),
  body text not null check (body <> '' and length(body) <= 2000),
  is_pinned boolean not null default false,
  created_at timestamptz not null,
  changed_at timestamptz,
  -- Grows with each change: names the job that notifies members of it.
  revision int not null default 1,
  -- Its picture: the key in the address, and the id of the blob, which no other picture shares.
  picture_key text check (picture_key ~ '^[A-Za-z0-9_-]{22}$'),
  picture_blob text,
  picture_width int check (picture_width > 0),
  picture_height int check (picture_height > 0),
  primary key (operator_id, id),
  unique (operator_id, picture_key),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id, clearance_id)
    references compliance.clearances (operator_id, performer_id, id),
  check (num_nulls(picture_key, picture_blob, picture_width, picture_height) in (0, 4))
);
create index posts_of_performer on fanclubs.posts (operator_id, performer_id, id desc);
create unique index posts_pinned on fanclubs.posts (operator_id, performer_id) where is_pinned;

select platform.own_table('fanclubs.posts');
