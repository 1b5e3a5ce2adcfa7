-- Of the tokens that an operation spends: how many promotional ones it takes when those come first, and how
-- many when they come last. What a post-pay member borrows for it is not promotional.
create or replace function ledger.promotional_part(me bigint, op jsonb)
returns table (at_most bigint, at_least bigint) language sql stable as $$
  select coalesce(sum(least(spent.tokens, lots.promotional)), 0)::bigint,
    coalesce(sum(greatest(0, least(spent.tokens, lots.promotional + lots.bought) - lots.bought)), 0)::bigint
  from (
    select leg.person_id, -leg.tokens as tokens from ledger.legs_of(op) leg
    where leg.person_id is not null and leg.account = 'tokens' and leg.tokens < 0) spent
  cross join lateral (
    select coalesce(sum(l.tokens_left) filter (where l.promotional), 0) as promotional,
      coalesce(sum(l.tokens_left) filter (where not l.promotional), 0) as bought
    from ledger.lots l where l.operator_id = me and l.person_id = spent.person_id and l.is_open) lots
$$;
