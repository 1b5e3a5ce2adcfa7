-- Adds one text to a hash of all before it.
create or replace function ledger.link_hash(chain bytea, entry text) returns bytea
language sql immutable as $$
  select sha256(chain || convert_to(entry, 'UTF8'))
$$;
