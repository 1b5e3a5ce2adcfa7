-- Who liked whom on which day (UTC): at most once. Rows of past months are deleted.
create table browse.likes (
  operator_id bigint not null,
  liker_id bigint not null,
  performer_id bigint not null,
  day date not null,
  at timestamptz not null,
  primary key (operator_id, liker_id, performer_id, day),
  foreign key (operator_id, liker_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index likes_days on browse.likes (operator_id, liker_id, day);

-- How many likes a performer had in a period: a day (`2026-11-24`), a month (`2026-11`), or `all`.
create table browse.like_counts (
  operator_id bigint not null,
  performer_id bigint not null,
  period text not null,
  -- Of the performer, when the last like came: boards of one gender read it.
  gender text,
  likes int not null check (likes > 0),
  -- Of two with as many likes, who had them first stands first.
  reached_at timestamptz not null,
  primary key (operator_id, performer_id, period),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index like_counts_board on browse.like_counts (operator_id, period, likes desc, reached_at);
create index like_counts_gender on browse.like_counts (operator_id, period, gender, likes desc, reached_at);

select platform.own_table('browse.likes', 'select', 'insert', 'delete');
select platform.own_table('browse.like_counts');
