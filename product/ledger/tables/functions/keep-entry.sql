-- A redaction changes what an entry says, never what it moved.
create or replace function ledger.keep_entry() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - '{memo,facts}'::text[] is distinct from to_jsonb(old) - '{memo,facts}'::text[] then
    raise exception 'ledger.journal is append-only but for memos';
  end if;
  return new;
end $$;

create or replace trigger keep_entry before update on ledger.journal
  for each row execute function ledger.keep_entry();
