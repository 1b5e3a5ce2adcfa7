-- A post of a fan club that everybody may read; its text stays where it was written.
alter table browse.feed add column post_id bigint;
create index feed_posts on browse.feed (operator_id, post_id) where post_id is not null;
