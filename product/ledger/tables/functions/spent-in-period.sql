-- Tokens a person spent in the current period, from postings; refunds are subtracted.
create or replace function ledger.spent_in_period(me bigint, person bigint, period text, now timestamptz)
returns bigint language sql stable as $$
  select greatest(0, coalesce(-sum(p.tokens), 0))::bigint
  from ledger.postings p join ledger.journal j on j.operator_id = me and j.id = p.journal_id
  where p.operator_id = me and p.person_id = person and p.account = 'tokens'
    and j.at >= ledger.period_start(period, now)
    and (j.spending = 1 and p.tokens < 0 or j.spending = -1 and p.tokens > 0)
$$;
