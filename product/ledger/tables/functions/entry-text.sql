-- An entry with everything that belongs to it, as text that never changes.
create or replace function ledger.entry_text(entry ledger.journal) returns text language sql stable as $$
  select jsonb_build_array(entry.operator_id, entry.id, entry.operation, entry.kind, entry.parameter_hash,
    entry.memo, extract(epoch from entry.at), entry.facts, entry.spending, entry.cause_id,
    (select jsonb_agg(jsonb_build_array(p.person_id, p.account, p.tokens, p.balance) order by p.id)
      from ledger.postings p where p.operator_id = entry.operator_id and p.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(m.account, m.currency, m.minor) order by m.account, m.currency)
      from ledger.money_postings m where m.operator_id = entry.operator_id and m.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(d.lot_id, d.tokens) order by d.lot_id)
      from ledger.draws d where d.operator_id = entry.operator_id and d.journal_id = entry.id))::text
$$;
