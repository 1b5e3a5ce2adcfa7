-- Records how many promotional tokens each person that an entry pays earns by it: in proportion, rounded up.
-- Of the `spent` tokens `given` were promotional.
create or replace function ledger.count_promotional(
  me bigint, op jsonb, entry bigint, now timestamptz, given bigint, spent bigint
) returns void language sql as $$
  insert into ledger.promotional_earnings (operator_id, person_id, day, journal_id, tokens)
  select me, leg.person_id, (now at time zone 'utc')::date, entry,
    (given * leg.tokens + spent - 1) / spent
  from ledger.legs_of(op) leg
  where leg.account = 'earnings' and leg.tokens > 0 and given > 0
$$;
