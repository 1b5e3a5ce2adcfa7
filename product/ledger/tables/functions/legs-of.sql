-- The legs of an operation as rows; raises when a number is not one. In SQL, so that the planner inlines
-- it.
create or replace function ledger.legs_of(op jsonb)
returns table (person_id bigint, account text, tokens bigint, promotional boolean, backing_cents bigint)
language sql immutable as $$
  select (leg ->> 'person')::bigint, leg ->> 'account', (leg ->> 'tokens')::bigint,
    (leg -> 'lot' ->> 'promotional')::boolean, (leg -> 'lot' ->> 'backingCents')::bigint
  from jsonb_array_elements(op -> 'legs') as leg
$$;
