-- A resolution that refuses.
create or replace function ledger.refused(status text) returns jsonb language sql immutable as $$
  select jsonb_build_object('refused', jsonb_build_object('status', status))
$$;
