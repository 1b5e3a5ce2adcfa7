-- Attempts at passwords are counted by the platform's rate limits: in memory or in Redis.
drop table accounts.attempts;
