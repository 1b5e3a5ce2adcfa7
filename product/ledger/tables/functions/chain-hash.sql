-- The hash of many texts, in order.
create or replace aggregate ledger.chain_hash(text) (sfunc = ledger.link_hash, stype = bytea, initcond = '');
