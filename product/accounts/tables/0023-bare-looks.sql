-- Names that look the same without their separators too: `bareLookOf` in rules/life/usernames.ts says so.
create index people_bare_look on accounts.people
  (operator_id, (replace(replace(translate(username, '01_-', 'ol'), 'rn', 'm'), 'vv', 'w')));
create index former_usernames_bare_look on accounts.former_usernames
  (operator_id, (replace(replace(translate(username, '01_-', 'ol'), 'rn', 'm'), 'vv', 'w')));
-- Of names that were retired before, nothing is left that it could be made of.
alter table accounts.retired_names add column bare_digest text;
create index retired_names_bare on accounts.retired_names (operator_id, bare_digest);
