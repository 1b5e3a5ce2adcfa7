create schema tips;

-- Tips of the last day, as the ledger announced them: what "recent tips" sums. The ledger keeps all of them.
create table tips.recent (
  operator_id bigint not null,
  tip_id uuid not null,
  sender_id bigint not null,
  receiver_id bigint not null,
  tokens int not null check (tokens > 0),
  at timestamptz not null,
  primary key (operator_id, tip_id),
  foreign key (operator_id, sender_id) references accounts.people (operator_id, id),
  foreign key (operator_id, receiver_id) references accounts.people (operator_id, id)
);
create index recent_pair on tips.recent (operator_id, receiver_id, sender_id, at);
create index recent_old on tips.recent (operator_id, at);

select platform.own_table('tips.recent', 'select', 'insert', 'delete');
