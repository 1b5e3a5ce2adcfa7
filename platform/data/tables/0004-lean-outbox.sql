-- Every announced fact is written once for each hearer, so what a row costs counts twice and more.

-- One index holds a fact's row, and keys compare by bytes: the order of a language means nothing here.
alter table platform.consumers
  alter column fact type text collate "C", alter column consumer type text collate "C";
drop index platform.outbox_order;
alter table platform.outbox drop constraint outbox_pkey;
alter table platform.outbox
  alter column consumer type text collate "C", alter column key type text collate "C";
alter table platform.outbox add primary key (consumer, operator_id, key, id);

-- A hearer to whom few keys matter names them here; other keys make no row for it.
alter table platform.consumers add column by_interest boolean not null default false;
create table platform.interests (
  operator_id bigint not null,
  consumer text collate "C" not null,
  key text collate "C" not null,
  primary key (operator_id, consumer, key)
);
select platform.own_table('platform.interests', 'select', 'insert', 'delete');

-- A row for each fact and hearer, in order.
create or replace function platform.announce(names text[], keys text[], payloads jsonb[], now timestamptz)
returns void language plpgsql as $$
declare
  me constant bigint := platform.operator_id();
begin
  perform set_config('app.left', 'yes', true);
  insert into platform.outbox (operator_id, fact_id, consumer, name, key, payload, at, ready_at)
  select me, f.fact_id, c.consumer, f.name, f.key, f.payload, now, now
  from (
    select gen_random_uuid() as fact_id, e.name, e.key, e.payload, e.nth
    from unnest(names, keys, payloads) with ordinality as e(name, key, payload, nth)
  ) f
  join platform.consumers c on c.fact = f.name
  where not c.by_interest or exists (
    select from platform.interests i
    where i.operator_id = me and i.consumer = c.consumer and i.key = f.key)
  order by f.nth, c.consumer;
end $$;

-- Announces facts in order: `facts` is an array of {name, key, payload}. For SQL functions; TypeScript has
-- tx.announce. `app.left` tells the unit of work at its commit that there is something to deliver.
create or replace function platform.announce(facts jsonb, now timestamptz) returns void
language plpgsql as $$
declare
  names text[];
  keys text[];
  payloads jsonb[];
begin
  select array_agg(e.fact ->> 'name'), array_agg(e.fact ->> 'key'), array_agg(e.fact -> 'payload')
  into names, keys, payloads from jsonb_array_elements(facts) as e(fact);
  perform platform.announce(names, keys, payloads, now);
end $$;
