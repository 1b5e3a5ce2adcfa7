-- A cap on what one person earns of tokens that were given away, by UTC day: accounts that take free tokens
-- and tip them to one performer make no payout beyond it.

alter table ledger.settings
  add column performer_cap_cents bigint not null default 5000 check (performer_cap_cents >= 0);

-- Promotional tokens that an entry paid to somebody's earnings, on the day they were spent; a reversal takes
-- them off that day again.
create table ledger.promotional_earnings (
  operator_id bigint not null,
  person_id bigint not null,
  day date not null,
  journal_id bigint not null,
  tokens bigint not null check (tokens <> 0),
  primary key (operator_id, person_id, day, journal_id),
  foreign key (operator_id, journal_id) references ledger.journal
);
create index promotional_earnings_of_entry on ledger.promotional_earnings (operator_id, journal_id);

select platform.own_table('ledger.promotional_earnings', 'select');
