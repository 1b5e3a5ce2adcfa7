-- Performers whose rooms take part in the experiment with the words that search engines show.
create table browse.seo_performers (
  operator_id bigint not null,
  performer_id bigint not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);

-- How often documents of those rooms were sent with each wording: counts by day (UTC) alone, 90 days of them.
create table browse.seo_visits (
  operator_id bigint not null,
  day date not null,
  wording text not null check (wording in ('a', 'b')),
  people bigint not null check (people >= 0),
  crawlers bigint not null check (crawlers >= 0),
  primary key (operator_id, day, wording)
);

select platform.own_table('browse.seo_performers', 'select', 'insert', 'delete');
select platform.own_table('browse.seo_visits', 'select', 'insert', 'update', 'delete');
