-- What a member of the performer's fan club gets back of a private show, in hundredths of a token, so that
-- captures of a few tokens each round down once.
alter table shows.privates add column refund_hundredths bigint not null default 0
  check (refund_hundredths >= 0);
