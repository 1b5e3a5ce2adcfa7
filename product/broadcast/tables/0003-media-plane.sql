-- Whom a broadcast is played to now, and by which protocol its publisher came.
alter table broadcast.broadcasts
  add column mode text not null default 'public' check (mode in ('public', 'private')),
  add column protocol text not null default 'whip' check (protocol in ('whip', 'rtmp'));
alter table broadcast.broadcasts alter column protocol drop default;

-- RTMP names no host: the key alone tells the operator, so it is unique across all of them.
create unique index stream_keys_hash on broadcast.stream_keys (key_hash);
-- Whoever knows a key may learn whose it is, in a unit of work that says which key it asks for.
create policy by_key on broadcast.stream_keys for select
  using (key_hash = current_setting('app.stream_key', true));
