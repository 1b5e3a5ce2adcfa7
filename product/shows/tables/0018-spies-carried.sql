-- Sixtieths of a token that earlier spying of the same viewer on the same show left unpaid.
alter table shows.spies
  add column carried smallint not null default 0 check (carried between 0 and 59),
  drop constraint spies_check2,
  add constraint spies_captured_of_seen check (captured <= (price::bigint * seconds + carried) / 60);
