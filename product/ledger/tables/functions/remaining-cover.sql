-- The share of `cents` that covers the tokens which are left of `issued` when `gone` are gone, rounded up.
create or replace function ledger.remaining_cover(cents bigint, issued bigint, gone bigint) returns bigint
language sql immutable as $$
  select case when issued = 0 then 0
    else ceil(coalesce(cents, 0)::numeric * (issued - gone) / issued)::bigint end
$$;
