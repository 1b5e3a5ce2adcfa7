-- A memo without the names of somebody, and without what they wrote: comments they paid for, titles they
-- earned with, why staff did it, and other words that have a name of theirs.
create or replace function ledger.redacted_memo(
  memo jsonb, names text[], pseudonym text, has_paid boolean, has_earned boolean
) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(m.key, case
      when jsonb_typeof(m.value) = 'string' and lower(m.value #>> '{}') = any (names) then to_jsonb(pseudonym)
      else m.value end), '{}')
  from jsonb_each(memo) m
  where m.key <> 'reason' and not (m.key = 'comment' and has_paid) and not (m.key = 'title' and has_earned)
    and not (m.key in ('comment', 'title')
      and exists (select from unnest(names) n where position(n in lower(m.value::text)) > 0))
$$;
