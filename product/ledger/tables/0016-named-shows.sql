-- What viewers set aside for a show, by the name of its performer: an erasure finds it by nothing else.
create index journal_of_shows on ledger.journal (operator_id, lower(memo ->> 'to')) where memo ? 'show';
