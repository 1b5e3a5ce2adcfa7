-- Redirect keys of an operator: each leads to a path of its sites, or to another site that it allows.
create table site.redirect_keys (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  -- SHA-256 of the key, which is stored nowhere.
  key_hash text not null check (key_hash ~ '^[0-9a-f]{64}$'),
  target text not null check (length(target) between 1 and 500),
  note text not null check (length(note) <= 120),
  made_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > made_at),
  -- Null for any number of uses.
  max_uses int check (max_uses > 0),
  uses int not null default 0 check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  withdrawn_at timestamptz,
  primary key (operator_id, id),
  unique (operator_id, key_hash)
);
select platform.own_table('site.redirect_keys', 'select', 'insert');
-- Where a key leads never changes.
grant update (uses, withdrawn_at) on site.redirect_keys to candela_app;
