-- Takes tokens out of certain lots (`sign` 1) or puts them back (-1): `parts` are {lot, tokens}.
create or replace function ledger.move_lots(me bigint, parts jsonb, sign int, entry bigint) returns void
language plpgsql as $$
begin
  update ledger.lots l set tokens_left = l.tokens_left - sign * (part ->> 'tokens')::bigint
  from jsonb_array_elements(parts) part where l.operator_id = me and l.id = (part ->> 'lot')::bigint;
  insert into ledger.draws (operator_id, journal_id, lot_id, tokens)
  select me, entry, (part ->> 'lot')::bigint, sign * (part ->> 'tokens')::bigint
  from jsonb_array_elements(parts) part;
end $$;
