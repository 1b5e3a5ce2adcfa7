-- The price of spying while it is not offered, and the tip to start.
alter table shows.settings
  add column spy_price int check (spy_price > 0),
  add column spy_startup_tip int not null default 0 check (spy_startup_tip >= 0);

-- Who spies, or spied, on a private show. Seconds and tokens are those of the last capture.
create table shows.spies (
  operator_id bigint not null,
  id bigint generated always as identity,
  private_id bigint not null,
  performer_id bigint not null,
  viewer_id bigint not null,
  -- Tokens a minute; 0 for a member of the fan club who spies for nothing.
  price int not null check (price >= 0),
  -- Tokens to start, paid with the first second.
  startup_tip int not null check (startup_tip >= 0),
  -- Seconds of the free preview, and those of them that were seen.
  preview int not null check (preview >= 0),
  previewed int not null default 0 check (previewed between 0 and preview),
  started_at timestamptz not null,
  -- The first second that was paid, and the tip with it.
  paid_at timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in (
    'show_ended', 'user_ended', 'user_left', 'out_of_tokens', 'removed')),
  seconds int not null default 0 check (seconds >= 0),
  captured int not null default 0 check (captured >= 0),
  held int not null default 0 check (held >= 0),
  hold_number int not null default 0,
  capture_number int not null default 0,
  free_performer int not null default 0,
  free_viewer int not null default 0,
  released int not null default 0 check (released >= 0),
  primary key (operator_id, id),
  foreign key (operator_id, private_id) references shows.privates (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id),
  check (captured <= (price::bigint * seconds) / 60),
  check ((ended_at is null) = (end_reason is null))
);
create unique index spies_of_viewer on shows.spies (operator_id, viewer_id) where ended_at is null;
create index spies_of_show on shows.spies (operator_id, private_id);
create index spies_of_pair on shows.spies (operator_id, viewer_id, performer_id, started_at desc);
create index spies_receipts_viewer on shows.spies (operator_id, viewer_id, id desc)
  where ended_at is not null;
create index spies_receipts_performer on shows.spies (operator_id, performer_id, id desc)
  where ended_at is not null;
select platform.own_table('shows.spies');
