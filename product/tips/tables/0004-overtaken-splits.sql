-- A split also ends when the performer goes offline.
alter table tips.splits
  drop constraint splits_reason_check,
  add constraint splits_reason_check
    check (reason in ('timeout', 'withdrawn', 'unpaid', 'private', 'offline'));
