-- What stands for a value that may be redacted.
create or replace function ledger.digest_of(value jsonb) returns bytea language sql immutable as $$
  select sha256(convert_to(value::text, 'UTF8'))
$$;
