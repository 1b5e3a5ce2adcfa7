-- Pages of a person elsewhere, by service; only what they entered.
alter table accounts.people add column social_media jsonb not null default '{}';
