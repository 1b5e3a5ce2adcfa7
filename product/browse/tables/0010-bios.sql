create extension if not exists pg_trgm;

-- What performers write of themselves, as search compares it: words in lower case without accents, a blank
-- before and after each. A read model of accounts.people, brought up to date by its facts.
create table browse.bios (
  operator_id bigint not null,
  performer_id bigint not null,
  words text not null,
  primary key (operator_id, performer_id),
  foreign key (operator_id, performer_id) references accounts.people (operator_id, id)
);
select platform.own_table('browse.bios');
-- An index of trigrams cannot be used where a row policy has to be asked first. browse.find_bios runs as the
-- owner, and names the operator itself.
alter table browse.bios no force row level security;
create index bios_words on browse.bios using gin (words gin_trgm_ops);

-- Operators whose performers of before this table are in it.
create table browse.bio_fills (
  operator_id bigint not null,
  primary key (operator_id)
);
select platform.own_table('browse.bio_fills');
