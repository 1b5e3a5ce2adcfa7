-- The session that a browser was logged in with when it registered or reported last: with the session ends
-- what it is sent. Null for registrations of before, until their browser reports.
alter table notices.push_subscriptions add column session text;
create index push_subscriptions_session on notices.push_subscriptions (operator_id, session)
  where session is not null;
