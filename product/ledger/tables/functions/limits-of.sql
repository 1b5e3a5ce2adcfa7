-- Everything that limits a person's spending, as `Limits` of the service shows it.
create or replace function ledger.limits_of(person bigint, now timestamptz) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'budgets', (
      select jsonb_agg(jsonb_build_object(
        'period', p.period,
        'tokens', case when b.next_at <= now then b.next_tokens else b.tokens end,
        'spent', case when b.starts = ledger.period_start(p.period, now) then b.spent
          when b.period is null then ledger.spent_in_period(platform.operator_id(), person, p.period, now)
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

grant execute on function ledger.limits_of to candela_app;
