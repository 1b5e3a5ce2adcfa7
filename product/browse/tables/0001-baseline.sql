create schema browse;
create extension if not exists pg_trgm;

-- A member's choices for the home page. Null means not chosen; without a row nothing is.
create table browse.home_choices (
  operator_id bigint not null,
  person_id bigint not null,
  layout text check (layout in ('classic', 'custom', 'section')),
  -- Sections in the member's order; rules/home.ts names them.
  sections text[] check (cardinality(sections) <= 12),
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.home_choices');

-- Rooms that a member visited, visible to that member alone, for at most 90 days.
create table browse.views (
  operator_id bigint not null,
  viewer_id bigint not null,
  performer_id bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Watch time, counted up to a moment so that two tabs do not count twice.
  seconds int not null default 0 check (seconds >= 0),
  counted_until timestamptz not null,
  primary key (operator_id, viewer_id, performer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (viewer_id <> performer_id)
);
create index views_latest on browse.views (operator_id, viewer_id, last_at desc, performer_id desc);
select platform.own_table('browse.views');

-- Whether a member's history is on. It is on without a row.
create table browse.history_settings (
  operator_id bigint not null,
  viewer_id bigint not null,
  is_on boolean not null,
  changed_at timestamptz not null,
  primary key (operator_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.history_settings');

-- Likes, at most one per pair and UTC day. Rows of past months are deleted.
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
select platform.own_table('browse.likes', 'select', 'insert', 'delete');

-- Number of likes of a performer in a period: a day (`2026-11-24`), a month (`2026-11`), or `all`.
create table browse.like_counts (
  operator_id bigint not null,
  performer_id bigint not null,
  period text not null,
  -- The performer's gender at the last like; leaderboards of one gender read it.
  gender text,
  likes int not null check (likes > 0),
  -- Time of the last like: it breaks ties, earliest first.
  reached_at timestamptz not null,
  primary key (operator_id, performer_id, period),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index like_counts_board on browse.like_counts (operator_id, period, likes desc, reached_at);
create index like_counts_gender on browse.like_counts (operator_id, period, gender, likes desc, reached_at);
select platform.own_table('browse.like_counts');

-- Recent activity of performers, retained for 30 days.
create table browse.feed (
  operator_id bigint not null,
  id bigint generated always as identity,
  kind text not null,
  performer_id bigint not null,
  -- The feed that the entry belongs to.
  gender text not null,
  at timestamptz not null,
  -- A fan club's post that is open to everybody. Its text stays with the fan club.
  post_id bigint,
  primary key (operator_id, id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index feed_performer on browse.feed (operator_id, performer_id, at);
create index feed_old on browse.feed (operator_id, at);
create index feed_posts on browse.feed (operator_id, post_id) where post_id is not null;
create index feed_pages on browse.feed (operator_id, gender, at desc, id desc);
select platform.own_table('browse.feed', 'select', 'insert', 'delete');

-- Clicks on performers' thumbnails, one row per performer and kind, without who clicked.
create table browse.thumb_clicks (
  operator_id bigint not null,
  performer_id bigint not null,
  kind text not null check (kind in ('t', 'picked')),
  clicks bigint not null check (clicks > 0),
  last_at timestamptz not null,
  primary key (operator_id, performer_id, kind),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.thumb_clicks');

-- Events reported by pages, as daily counts.
create table browse.page_events (
  operator_id bigint not null,
  event text not null,
  day date not null,
  times bigint not null check (times > 0),
  primary key (operator_id, event, day)
);
select platform.own_table('browse.page_events');

-- Filters of the advanced search that members saved, as the query of their address.
create table browse.searches (
  operator_id bigint not null,
  id bigint generated always as identity,
  person_id bigint not null,
  name text not null check (length(name) between 1 and 40),
  query text not null check (length(query) <= 600),
  -- Whether the member is notified when a matching performer goes live.
  notify boolean not null,
  -- Region from which the search was saved: performers who block it are left out of notifications.
  region text not null,
  created_at timestamptz not null,
  primary key (operator_id, id),
  unique (operator_id, person_id, name),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index searches_notify on browse.searches (operator_id, id) where notify;
select platform.own_table('browse.searches');

-- What "for you" learned from a member's time in rooms, visible to that member alone, for at most 90 days.
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
select platform.own_table('browse.learned_performers');

-- The same by the tags of those rooms.
create table browse.learned_tags (
  operator_id bigint not null,
  viewer_id bigint not null,
  tag text not null check (length(tag) <= 60),
  seconds double precision not null check (seconds >= 0),
  counted_until timestamptz not null,
  primary key (operator_id, viewer_id, tag),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.learned_tags');

-- Members' choices about "for you". Without a row it is shown, and learns unless the history is off.
create table browse.learning_settings (
  operator_id bigint not null,
  viewer_id bigint not null,
  -- Null follows the setting of the history.
  learns boolean,
  is_shown boolean not null default true,
  -- Time in rooms before this moment no longer counts: something was cleared or turned on then.
  counts_from timestamptz,
  primary key (operator_id, viewer_id),
  foreign key (operator_id, viewer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.learning_settings');

-- Performers' bios for search: words in lower case, without accents, with a blank before and after each. A
-- read model of accounts.people, kept current by its facts.
create table browse.bios (
  operator_id bigint not null,
  performer_id bigint not null,
  words text not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
create index bios_words on browse.bios using gin (words gin_trgm_ops);
select platform.own_table('browse.bios');
-- Trigram indexes cannot be used behind a row policy. browse.find_bios runs as the owner instead, and selects
-- the operator itself.
alter table browse.bios no force row level security;

-- Operators whose existing performers were copied to `bios`.
create table browse.bio_fills (
  operator_id bigint not null,
  primary key (operator_id)
);
select platform.own_table('browse.bio_fills');

-- Performers whose rooms take part in the experiment with descriptions for search engines.
create table browse.seo_performers (
  operator_id bigint not null,
  performer_id bigint not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.seo_performers', 'select', 'insert', 'delete');

-- How often documents of those rooms were sent with each wording: daily counts (UTC), retained for 90 days.
create table browse.seo_visits (
  operator_id bigint not null,
  day date not null,
  wording text not null check (wording in ('a', 'b')),
  people bigint not null check (people >= 0),
  crawlers bigint not null check (crawlers >= 0),
  primary key (operator_id, day, wording)
);
select platform.own_table('browse.seo_visits');
