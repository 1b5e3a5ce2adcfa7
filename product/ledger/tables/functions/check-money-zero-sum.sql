-- Money of an entry arrives in one statement, so this trigger sees all of it.
create or replace function ledger.check_money_zero_sum() returns trigger language plpgsql as $$
begin
  if exists (
    select from added group by operator_id, journal_id, currency having sum(minor) <> 0 or count(*) < 2
  ) then
    raise exception 'the money of an operation sums to zero in each currency';
  end if;
  return null;
end $$;

create or replace trigger zero_sum after insert on ledger.money_postings referencing new table as added
  for each statement execute function ledger.check_money_zero_sum();
