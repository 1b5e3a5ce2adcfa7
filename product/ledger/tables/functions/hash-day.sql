-- Number of entries of a day (UTC) and their hash in a form, which includes the hash of the seal before.
create or replace function ledger.hash_day(
  me bigint, of_day date, before bytea, form int, out entries bigint, out hash bytea
)
language sql stable as $$
  select count(*), sha256(before || coalesce(ledger.chain_hash(ledger.entry_text(j, form) order by j.id), ''))
  from ledger.journal j
  where j.operator_id = me and j.at >= of_day::timestamp at time zone 'UTC'
    and j.at < (of_day + 1)::timestamp at time zone 'UTC'
$$;
