-- The site's own banner below the header of its pages; null for none. Its fields are in rules/banner.ts.
alter table site.sites add column banner jsonb check (jsonb_typeof(banner) = 'object');
