-- History is append-only, for the owner of the schema too. Only `redact_person` changes entries, and
-- `keep_entry` sees to what it changes.
create or replace function ledger.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'journal' and tg_op = 'UPDATE' and current_setting('ledger.redacting', true) = 'on' then
    return null;
  end if;
  raise exception 'ledger.% is append-only', tg_table_name;
end $$;

create or replace trigger append_only before update or delete or truncate on ledger.journal
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.postings
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.draws
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.money_postings
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.coverage
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.hold_draws
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.reversals
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.promotional_earnings
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.seals
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.redactions
  for each statement execute function ledger.refuse_change();
create or replace trigger append_only before update or delete or truncate on ledger.reseals
  for each statement execute function ledger.refuse_change();
