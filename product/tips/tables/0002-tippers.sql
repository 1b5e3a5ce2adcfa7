-- Who ever tipped whom: rooms can keep their chat to those.
create table tips.tippers (
  operator_id bigint not null,
  sender_id bigint not null,
  receiver_id bigint not null,
  first_at timestamptz not null,
  primary key (operator_id, receiver_id, sender_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, receiver_id) references accounts.people (operator_id, id)
);
insert into tips.tippers (operator_id, sender_id, receiver_id, first_at)
  select operator_id, sender_id, receiver_id, min(at) from tips.recent
  group by operator_id, sender_id, receiver_id;
select platform.own_table('tips.tippers', 'select', 'insert');
