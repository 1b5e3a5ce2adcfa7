-- The stream everybody may see, so that its live picture can be shown; null while it is for a few.
alter table browse.live add column stream text;
