-- Callbacks that could not be authenticated: forged ones, unreadable ones, and genuine ones signed with a key
-- that this site does not know yet. Anybody can send them, so they stand apart: few, small, and not for long.
create table billing.unauthenticated_callbacks (
  operator_id bigint not null,
  id bigint generated always as identity,
  biller text not null,
  method text not null,
  query text not null,
  headers jsonb not null,
  body text not null,
  address text not null,
  -- The address, or the /64 of IPv6, that its rows are counted under.
  address_key text not null,
  at timestamptz not null,
  primary key (operator_id, id)
);
create index unauthenticated_of_biller
  on billing.unauthenticated_callbacks (operator_id, biller, address_key, id);
select platform.own_table('billing.unauthenticated_callbacks', 'select', 'insert', 'delete');

-- How many there were, one row a day for each biller and reason.
create table billing.refused_callbacks (
  operator_id bigint not null,
  biller text not null,
  day date not null,
  -- `forged` or `unreadable`.
  reason text not null,
  count bigint not null,
  primary key (operator_id, biller, day, reason)
);
select platform.own_table('billing.refused_callbacks', 'select', 'insert', 'update', 'delete');

-- What strangers sent so far is counted, and no longer stored.
insert into billing.refused_callbacks (operator_id, biller, day, reason, count)
select operator_id, biller, (at at time zone 'utc')::date, outcome, count(*)
from billing.callbacks
where outcome in ('forged', 'unreadable')
group by 1, 2, 3, 4;
delete from billing.callbacks where outcome in ('forged', 'unreadable');
