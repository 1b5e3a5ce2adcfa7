-- An entry with everything that belongs to it, as text that never changes. In form 2 its memo and facts are
-- digests, which a redaction retains.
create or replace function ledger.entry_text(entry ledger.journal, form int) returns text
language sql stable as $$
  select jsonb_build_array(entry.operator_id, entry.id, entry.operation, entry.kind, entry.parameter_hash,
    case form when 1 then entry.memo
      else to_jsonb(encode(coalesce(r.memo_digest, ledger.digest_of(entry.memo)), 'hex')) end,
    extract(epoch from entry.at),
    case form when 1 then entry.facts
      else to_jsonb(encode(coalesce(r.facts_digest, ledger.digest_of(entry.facts)), 'hex')) end,
    entry.spending, entry.cause_id,
    (select jsonb_agg(jsonb_build_array(p.person_id, p.account, p.tokens, p.balance) order by p.id)
      from ledger.postings p where p.operator_id = entry.operator_id and p.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(m.account, m.currency, m.minor) order by m.account, m.currency)
      from ledger.money_postings m where m.operator_id = entry.operator_id and m.journal_id = entry.id),
    (select jsonb_agg(jsonb_build_array(d.lot_id, d.tokens) order by d.lot_id)
      from ledger.draws d where d.operator_id = entry.operator_id and d.journal_id = entry.id))::text
  from (select) one left join lateral (
    select d.memo_digest, d.facts_digest from ledger.redactions d
    where d.operator_id = entry.operator_id and d.journal_id = entry.id limit 1) r on true
$$;
