-- What is sealed for a person, and stored nowhere, has this number in it: it ends when the number goes up.
alter table accounts.people
  add column recoveries int not null default 0,
  -- When the last one was, and since when the ways in that were new then are known to be the person's.
  add column recovered_at timestamptz,
  add column ways_in_checked_at timestamptz,
  -- Since then the account's holder is known to read the mail of its address. A link that was opened in a
  -- browser of somebody else confirms the address, and says nothing of who holds the account.
  add column address_proven_at timestamptz;
update accounts.people set address_proven_at = email_confirmed_at;
