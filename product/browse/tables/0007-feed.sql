-- What performers did lately; 30 days of it.
create table browse.feed (
  operator_id bigint not null,
  id bigint generated always as identity,
  kind text not null,
  performer_id bigint not null,
  -- The feed it is in.
  gender text not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index feed_pages on browse.feed (operator_id, gender, id desc);
create index feed_performer on browse.feed (operator_id, performer_id, at);
create index feed_old on browse.feed (operator_id, at);

-- Clicks on thumbnails of performers: one row a performer and kind, nothing of who clicked.
create table browse.thumb_clicks (
  operator_id bigint not null,
  performer_id bigint not null,
  kind text not null check (kind in ('t', 'picked')),
  clicks bigint not null check (clicks > 0),
  last_at timestamptz not null,
  primary key (operator_id, performer_id, kind),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- What pages report of themselves, by day: counts alone.
create table browse.page_events (
  operator_id bigint not null,
  event text not null,
  day date not null,
  times bigint not null check (times > 0),
  primary key (operator_id, event, day)
);

select platform.own_table('browse.feed', 'select', 'insert', 'delete');
select platform.own_table('browse.thumb_clicks', 'select', 'insert', 'update');
select platform.own_table('browse.page_events', 'select', 'insert', 'update', 'delete');
