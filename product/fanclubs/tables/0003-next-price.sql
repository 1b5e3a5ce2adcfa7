-- Tokens a month that the member agreed to for next_level. Null for none, and in plans of before.
alter table fanclubs.memberships add column next_price int check (next_price > 0);
