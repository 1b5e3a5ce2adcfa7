-- What people allowed and withdrew, and when: evidence of consent (GDPR art. 7(1)).
create schema consent;

-- One row per choice. Rows never change; the latest applies.
create table consent.choices (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  preferences boolean not null,
  statistics boolean not null,
  marketing boolean not null,
  -- Version of the text that was shown.
  version int not null,
  -- Where the choice was made: in the banner, on the settings page, or as a guest in the browser that logged
  -- in.
  chosen_in text not null check (chosen_in in ('banner', 'settings', 'browser')),
  -- Region of the request, e.g. `DE`.
  region text not null,
  chosen_at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id) on delete cascade
);
create index choices_of_person on consent.choices (operator_id, person_id, id desc);
select platform.own_table('consent.choices', 'select', 'insert', 'delete');
