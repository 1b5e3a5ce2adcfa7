-- How long a held ticket's show had no picture within its agreed length, in all.
alter table shows.tickets add column away_ms int not null default 0 check (away_ms >= 0);
