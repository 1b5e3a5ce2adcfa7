-- The development outbox: mails kept instead of sent.
create schema notices;

create table notices.outbox (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  recipient text not null,
  subject text not null,
  body text not null,
  kind text not null,
  at timestamptz not null,
  primary key (operator_id, id)
);
select platform.own_table('notices.outbox');
