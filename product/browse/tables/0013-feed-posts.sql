-- A post of a fan club that everybody may read; its text stays where it was written.
alter table browse.feed add column post_id bigint;
create index feed_posts on browse.feed (operator_id, post_id) where post_id is not null;
-- A post stands where it was published, whenever it came to be for everybody.
drop index browse.feed_pages;
create index feed_pages on browse.feed (operator_id, gender, at desc, id desc);
