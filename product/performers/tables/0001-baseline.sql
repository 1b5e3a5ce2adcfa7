create schema performers;

-- Performers' descriptions of themselves for listings. Without a row nothing was entered.
create table performers.listings (
  operator_id bigint not null,
  performer_id bigint not null,
  region text check (region in (
    'africa', 'asia', 'central-south-america', 'eastern-europe', 'europe', 'usa')),
  country text check (country ~ '^[A-Z]{2}$'),
  age_range text check (age_range in ('18-22', '23-29', '30-39', '40-49', '50+')),
  -- Optional and self-declared: special-category personal data, which no log and no fact may contain.
  ethnicity text check (ethnicity in (
    'asian', 'black', 'indian', 'latin', 'middle-eastern', 'mixed', 'white')),
  voyeur_room text check (voyeur_room in ('bedroom', 'kitchen', 'shower', 'other')),
  is_independent boolean not null default false,
  -- Tokens a minute; null if not offered.
  private_price int check (private_price between 1 and 999),
  exclusive_price int check (exclusive_price between 1 and 999),
  spy_price int check (spy_price between 1 and 999),
  control_rate int check (control_rate between 1 and 999),
  offers_cam2cam boolean not null default false,
  time_zone text check (length(time_zone) between 1 and 40),
  -- Times of the week, in the shape of the contract's `ScheduledTime`.
  schedule jsonb not null default '[]'
    check (jsonb_typeof(schedule) = 'array' and jsonb_array_length(schedule) <= 21),
  changed_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (time_zone is not null or schedule = '[]'::jsonb)
);
select platform.own_table('performers.listings');

-- Pictures on a performer's page, in order. Their blobs are not shared with other pictures.
create table performers.pictures (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  performer_id bigint not null,
  -- The clearance that was valid when the picture was published.
  clearance_id bigint not null,
  -- Part of the picture's address.
  key text not null check (key ~ '^[A-Za-z0-9_-]{22}$'),
  -- Ids of the blobs: the whole picture, then its thumbnail.
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
