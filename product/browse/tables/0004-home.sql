-- How a member wants the home page. Who chose nothing has no row; null is what was not chosen.
create table browse.home_choices (
  operator_id bigint not null,
  person_id bigint not null,
  layout text check (layout in ('classic', 'custom', 'section')),
  -- Sections in the member's order; rules/home.ts has their names.
  sections text[] check (cardinality(sections) <= 12),
  primary key (operator_id, person_id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);

select platform.own_table('browse.home_choices');
