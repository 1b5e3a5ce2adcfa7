-- The SQL functions that are in this database, each with the SHA-256 of the file it came from.
create table platform.functions (
  name text primary key,
  sha256 text not null
);

-- Functions that 0001 to 0004 defined and that go by other names now (tables/functions).
drop function platform.leave(jsonb, jsonb, timestamptz);
drop function platform.announce(jsonb, timestamptz);
drop function platform.announce(text[], text[], jsonb[], timestamptz);
