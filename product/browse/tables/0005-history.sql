-- Rooms that members were in: for themselves alone, 90 days at most.
create table browse.views (
  operator_id bigint not null,
  viewer_id bigint not null,
  performer_id bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Watch time, counted up to a moment, so that two tabs do not count twice.
  seconds int not null default 0 check (seconds >= 0),
  counted_until timestamptz not null,
  primary key (operator_id, viewer_id, performer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index views_latest on browse.views (operator_id, viewer_id, last_at desc, performer_id desc);

-- Who turned the history off, or on again. Without a row it is on.
create table browse.history_settings (
  operator_id bigint not null,
  viewer_id bigint not null,
  is_on boolean not null,
  changed_at timestamptz not null,
  primary key (operator_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);

select platform.own_table('browse.views');
select platform.own_table('browse.history_settings', 'select', 'insert', 'update');
