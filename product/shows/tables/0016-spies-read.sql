-- When somebody who spies saw the first second beyond the free preview: from then on they read the chat of
-- the show.
alter table shows.spies add column reads_since timestamptz;
