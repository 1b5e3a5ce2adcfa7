-- New usernames differ from every other by more than separators; `bareOf` in rules/life/usernames.ts says
-- the same.
create index people_bare on accounts.people (operator_id, (translate(username, '_-', '')));
create index former_usernames_bare on accounts.former_usernames
  (operator_id, (translate(username, '_-', '')));
