-- The mailbox that an address leads to; `mailboxOf` in rules/life/mailboxes.ts says the same.
alter table accounts.people
  add column mailbox text not null generated always as (
    case when email ~ '@(gmail|googlemail)\.com$'
      then replace(split_part(regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@'), '@', 1), '.', '')
        || '@gmail.com'
      else regexp_replace(email, '^([^@+]+)\+[^@]*@', '\1@')
    end
  ) stored;
create index people_mailbox on accounts.people (operator_id, mailbox);
