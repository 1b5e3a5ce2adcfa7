create schema performers;

-- What a performer says of themselves for listings. Whoever has no row has said nothing.
create table performers.listings (
  operator_id bigint not null,
  performer_id bigint not null,
  region text check (region in (
    'africa', 'asia', 'central-south-america', 'eastern-europe', 'europe', 'usa')),
  country text check (country ~ '^[A-Z]{2}$'),
  age_range text check (age_range in ('18-22', '23-29', '30-39', '40-49', '50+')),
  -- Optional and self-declared: personal data of a special kind, in no log and no fact.
  ethnicity text check (ethnicity in (
    'asian', 'black', 'indian', 'latin', 'middle-eastern', 'mixed', 'white')),
  voyeur_room text check (voyeur_room in ('bedroom', 'kitchen', 'shower', 'other')),
  is_independent boolean not null default false,
  -- Tokens a minute; null when not offered.
  private_price int check (private_price between 1 and 999),
  exclusive_price int check (exclusive_price between 1 and 999),
  spy_price int check (spy_price between 1 and 999),
  control_rate int check (control_rate between 1 and 999),
  offers_cam2cam boolean not null default false,
  time_zone text check (length(time_zone) between 1 and 40),
  -- Times of the week as `ScheduledTime` of the contract has them.
  schedule jsonb not null default '[]'
    check (jsonb_typeof(schedule) = 'array' and jsonb_array_length(schedule) <= 21),
  changed_at timestamptz not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id),
  check (time_zone is not null or schedule = '[]'::jsonb)
);

select platform.own_table('performers.listings');
