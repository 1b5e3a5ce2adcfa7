-- A public recording that guests saw as the offline video of a room can be evidence, too.
alter table recordings.evidence
  drop constraint evidence_mode_check,
  add constraint evidence_mode_check check (mode in ('public', 'limited', 'private')),
  -- A public recording belongs to no show, so that its own id stands for one.
  add constraint evidence_public_check check (mode <> 'public' or show_id = id);
