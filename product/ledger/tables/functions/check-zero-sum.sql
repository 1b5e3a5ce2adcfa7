-- Postings of an entry arrive in one statement, so this trigger sees all of them.
create or replace function ledger.check_zero_sum() returns trigger language plpgsql as $$
begin
  if exists (
    select from added group by operator_id, journal_id having sum(tokens) <> 0 or count(*) < 2
  ) then
    raise exception 'the postings of an operation sum to zero';
  end if;
  return null;
end $$;

create or replace trigger zero_sum after insert on ledger.postings referencing new table as added
  for each statement execute function ledger.check_zero_sum();
