-- Entries of people who are gone lose their names and words, and nothing else; seals still prove the rest.

-- What an entry said before: digests, from which its seal is made. One row a person who is gone.
create table ledger.redactions (
  operator_id bigint not null,
  journal_id bigint not null,
  person_id bigint not null,
  memo_digest bytea not null,
  facts_digest bytea not null,
  at timestamptz not null,
  primary key (operator_id, journal_id, person_id),
  foreign key (operator_id, journal_id) references ledger.journal
);
select platform.own_table('ledger.redactions', 'select');

-- Seals of form 1 are made of memos and facts, those of form 2 of their digests.
alter table ledger.seals add column form smallint not null default 1 check (form in (1, 2));

-- Days of form 1 that were sealed again, unbroken as they were, before an entry of theirs was redacted.
create table ledger.reseals (
  operator_id bigint not null,
  day date not null,
  entries bigint not null,
  hash bytea not null,
  sealed_at timestamptz not null,
  primary key (operator_id, day),
  foreign key (operator_id, day) references ledger.seals
);
select platform.own_table('ledger.reseals', 'select');
