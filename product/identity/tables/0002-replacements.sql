-- How often the performer replaced something of a step since the last hand-in. Replaced records stay under a
-- legal hold, so this is limited; it counts for everybody, or the limit would give a hold away.
alter table identity.steps
  add column replacements int not null default 0 check (replacements >= 0);
