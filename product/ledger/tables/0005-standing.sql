-- What closes spending to a person, what they may owe, how earnings are divided: set by the application, and
-- read as one.

-- Tokens a person spent in the period that runs, from history: what was given back is taken off.
create function ledger.spent_of(me bigint, person bigint, period text, now timestamptz) returns bigint
language sql stable as $$
  select greatest(0, coalesce(-sum(p.tokens), 0))::bigint
  from ledger.postings p join ledger.journal j on j.operator_id = me and j.id = p.journal_id
  where p.operator_id = me and p.person_id = person and p.account = 'tokens'
    and j.at >= ledger.period_start(period, now)
    and (j.spending = 1 and p.tokens < 0 or j.spending = -1 and p.tokens > 0)
$$;

-- Sets the budget of a period; null is none. A lower one holds at once, a higher one from `raises_at` on; the
-- same again does not begin the wait anew.
create function ledger.set_budget(
  person bigint, of_period text, limit_tokens bigint, raises_at timestamptz, now timestamptz
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant bigint := platform.operator_id();
  known ledger.budgets;
  current bigint;
begin
  -- What is being spent right now counts: the account is locked as for a spend.
  insert into ledger.accounts (operator_id, person_id, account) values (me, person, 'tokens')
  on conflict do nothing;
  perform from ledger.accounts a
  where a.operator_id = me and a.person_id = person and a.account = 'tokens' for update;
  select * into known from ledger.budgets b
  where b.operator_id = me and b.person_id = person and b.period = of_period;
  if known is null then
    insert into ledger.budgets (operator_id, person_id, period, tokens, starts, spent)
    values (me, person, of_period, limit_tokens, ledger.period_start(of_period, now),
      ledger.spent_of(me, person, of_period, now));
    return;
  end if;
  current := case when known.next_at <= now then known.next_tokens else known.tokens end;
  if coalesce(limit_tokens <= current, current is null) then
    update ledger.budgets b set tokens = limit_tokens, next_tokens = null, next_at = null
    where b.operator_id = me and b.person_id = person and b.period = of_period;
  elsif known.next_at <= now or known.next_at is null or known.next_tokens is distinct from limit_tokens then
    update ledger.budgets b set tokens = current, next_tokens = limit_tokens, next_at = raises_at
    where b.operator_id = me and b.person_id = person and b.period = of_period;
  end if;
end $$;

-- Closes spending until a time, for a while (`cooling_off`) or for long (`self_excluded`). Never shortens.
create function ledger.pause_spending(person bigint, kind text, until timestamptz) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, cooling_off_until, self_excluded_until)
  values (platform.operator_id(), person, case when kind = 'cooling_off' then until end,
    case when kind = 'self_excluded' then until end)
  on conflict (operator_id, person_id) do update set
    cooling_off_until = greatest(standings.cooling_off_until, excluded.cooling_off_until),
    self_excluded_until = greatest(standings.self_excluded_until, excluded.self_excluded_until)
$$;

-- Closes spending for a reason, or opens it again (null), whatever had closed it.
create function ledger.set_block(person bigint, reason text, now timestamptz) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, blocked_cause, blocked_reason, blocked_at)
  values (platform.operator_id(), person, case when reason is not null then 'staff' end, reason,
    case when reason is not null then now end)
  on conflict (operator_id, person_id) do update set blocked_cause = excluded.blocked_cause,
    blocked_reason = excluded.blocked_reason, blocked_at = excluded.blocked_at
$$;

create function ledger.set_credit(person bigint, tokens bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.standings (operator_id, person_id, credit_tokens)
  values (platform.operator_id(), person, tokens)
  on conflict (operator_id, person_id) do update set credit_tokens = excluded.credit_tokens
$$;

create function ledger.set_split(performer bigint, since timestamptz, parts jsonb) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into ledger.splits (operator_id, performer_id, starts, shares)
  values (platform.operator_id(), performer, since, parts)
  on conflict (operator_id, performer_id, starts) do update set shares = excluded.shares
$$;

-- Everything that keeps a person from spending, as `Limits` of server/service.ts shows it.
create function ledger.limits_of(person bigint, now timestamptz) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'budgets', (
      select jsonb_agg(jsonb_build_object(
        'period', p.period,
        'tokens', case when b.next_at <= now then b.next_tokens else b.tokens end,
        'spent', case when b.starts = ledger.period_start(p.period, now) then b.spent
          when b.period is null then ledger.spent_of(platform.operator_id(), person, p.period, now)
          else 0 end,
        'resetsAt', ledger.period_end(p.period, now),
        'nextTokens', case when b.next_at > now then b.next_tokens end,
        'nextAt', case when b.next_at > now then b.next_at end) order by p.nth)
      from (values (1, 'day'), (2, 'week'), (3, 'month')) as p(nth, period)
      left join ledger.budgets b
        on b.operator_id = platform.operator_id() and b.person_id = person and b.period = p.period),
    'coolingOffUntil', case when s.cooling_off_until > now then s.cooling_off_until end,
    'selfExcludedUntil', case when s.self_excluded_until > now then s.self_excluded_until end,
    'blockedCause', s.blocked_cause, 'blockedReason', s.blocked_reason, 'blockedAt', s.blocked_at,
    'creditTokens', coalesce(s.credit_tokens, 0), 'debtTokens', coalesce(-d.balance, 0))
  from (select) one
  left join ledger.standings s on s.operator_id = platform.operator_id() and s.person_id = person
  left join ledger.accounts d
    on d.operator_id = platform.operator_id() and d.person_id = person and d.account = 'debt'
$$;

revoke execute on all functions in schema ledger from public;
grant execute on function ledger.set_budget(bigint, text, bigint, timestamptz, timestamptz) to candela_app;
grant execute on function ledger.pause_spending(bigint, text, timestamptz) to candela_app;
grant execute on function ledger.set_block(bigint, text, timestamptz) to candela_app;
grant execute on function ledger.set_credit(bigint, bigint) to candela_app;
grant execute on function ledger.set_split(bigint, timestamptz, jsonb) to candela_app;
grant execute on function ledger.limits_of(bigint, timestamptz) to candela_app;
