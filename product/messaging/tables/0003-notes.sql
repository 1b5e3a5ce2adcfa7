-- What somebody wrote down about somebody else, for themselves alone.
create table messaging.notes (
  operator_id bigint not null,
  author_id bigint not null,
  subject_id bigint not null,
  note text not null,
  updated_at timestamptz not null,
  primary key (operator_id, author_id, subject_id),
  foreign key (operator_id, author_id) references accounts.people (operator_id, id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id),
  check (author_id <> subject_id)
);
select platform.own_table('messaging.notes');
