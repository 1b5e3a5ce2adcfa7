-- What "for you" has learned from the time a member was in rooms: for themselves alone, 90 days at most.
-- Seconds are those at `counted_until`; they halve every three weeks after it.
create table browse.learned_performers (
  operator_id bigint not null,
  viewer_id bigint not null,
  performer_id bigint not null,
  seconds double precision not null check (seconds >= 0),
  counted_until timestamptz not null,
  primary key (operator_id, viewer_id, performer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);

-- The same of the tags that those rooms had then.
create table browse.learned_tags (
  operator_id bigint not null,
  viewer_id bigint not null,
  tag text not null check (length(tag) <= 60),
  seconds double precision not null check (seconds >= 0),
  counted_until timestamptz not null,
  primary key (operator_id, viewer_id, tag),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);

-- What members chose. Without a row, "for you" is shown, and learns unless the history was turned off.
create table browse.learning_settings (
  operator_id bigint not null,
  viewer_id bigint not null,
  -- Null: not chosen, so as the history is.
  learns boolean,
  is_shown boolean not null default true,
  -- Time in a room before this moment is not counted any more: something was cleared or turned on.
  counts_from timestamptz,
  primary key (operator_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);

select platform.own_table('browse.learned_performers');
select platform.own_table('browse.learned_tags');
select platform.own_table('browse.learning_settings', 'select', 'insert', 'update');
