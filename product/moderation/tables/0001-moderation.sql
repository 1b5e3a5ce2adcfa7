-- What people reported, as it stood then, until an admin has decided and for a while after.
create schema moderation;

create table moderation.reports (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  kind text not null check (kind in ('message', 'person', 'room', 'bio', 'picture', 'post', 'recording')),
  subject_id bigint not null,
  -- Whose room or page it is in; the subject's own for everything but a message.
  room_id bigint not null,
  target_id bigint,
  within text,
  snapshot text not null,
  -- Null for a guest, or somebody who is erased.
  reporter_id bigint,
  reason text not null,
  details text not null,
  at timestamptz not null,
  closed_at timestamptz,
  closed_by bigint,
  outcome text,
  note text not null default '',
  primary key (operator_id, id),
  foreign key (operator_id, subject_id) references accounts.people (operator_id, id),
  foreign key (operator_id, room_id) references accounts.people (operator_id, id),
  foreign key (operator_id, reporter_id) references accounts.people (operator_id, id),
  foreign key (operator_id, closed_by) references accounts.people (operator_id, id),
  check (subject_id is distinct from reporter_id),
  check ((closed_at is null) = (outcome is null))
);
create index open_reports on moderation.reports (operator_id, id desc) where closed_at is null;
create index closed_reports on moderation.reports (operator_id, id desc) where closed_at is not null;
create index reports_of_person on moderation.reports (operator_id, reporter_id);
create index reports_on_person on moderation.reports (operator_id, subject_id);
create index reports_by_closing on moderation.reports (operator_id, closed_at) where closed_at is not null;
select platform.own_table('moderation.reports');
