-- A broadcast can be played to the holders of tickets alone.
alter table broadcast.broadcasts drop constraint broadcasts_mode_check;
alter table broadcast.broadcasts add constraint broadcasts_mode_check
  check (mode in ('public', 'private', 'limited'));
