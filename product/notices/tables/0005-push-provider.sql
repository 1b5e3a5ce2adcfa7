-- A registration of a push provider's app: the provider has the browser's endpoint and keys, and knows it by
-- player_id. Null for browsers that the site itself sends to.
alter table notices.push_subscriptions add column app_id text;
alter table notices.push_subscriptions
  alter column endpoint drop not null, alter column p256dh drop not null, alter column auth drop not null,
  add check (case when app_id is null then num_nulls(endpoint, p256dh, auth) = 0
    else num_nonnulls(endpoint, p256dh, auth) = 0 end);

-- Who sends an operator's push messages in its place; the key of its API is encrypted.
create table notices.push_providers (
  operator_id bigint not null,
  script text not null,
  worker text not null,
  origins text[] not null,
  api_url text not null,
  app_id text not null,
  api_key text not null,
  changed_at timestamptz not null,
  primary key (operator_id)
);
select platform.own_table('notices.push_providers');
