-- Performers of the operator whose words match every pattern, at most so many, in no order. The first pattern
-- is the one that few match: the index answers it.
create or replace function browse.find_bios(first_pattern text, patterns text[], most int)
returns table (performer_id bigint, words text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select b.performer_id, b.words from browse.bios b
  where b.operator_id = platform.operator_id() and b.words like first_pattern and b.words like all (patterns)
  limit most
$$;
grant execute on function browse.find_bios(text, text[], int) to candela_app;
