-- Inconsistencies in the ledger; none when it is sound. It reads every row, so it joins by hash (see
-- `balances_at`).
create or replace function ledger.faults() returns table (fault text, subject text)
language sql stable security definer set search_path = pg_catalog, pg_temp
set enable_nestloop = off as $$
  with me as (select platform.operator_id() as id)
  select 'postings_not_zero', 'entry ' || p.journal_id from ledger.postings p, me
    where p.operator_id = me.id group by p.journal_id having sum(p.tokens) <> 0
  union all
  select 'money_not_zero', 'entry ' || m.journal_id || ' ' || m.currency from ledger.money_postings m, me
    where m.operator_id = me.id group by m.journal_id, m.currency having sum(m.minor) <> 0
  union all
  select 'balance_not_sum',
      'person ' || coalesce(a.person_id, p.person_id) || ' ' || coalesce(a.account, p.account)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id) a
    full join (select p.person_id, p.account, sum(p.tokens) as tokens from ledger.postings p, me
      where p.operator_id = me.id and p.person_id is not null group by p.person_id, p.account) p
      on p.person_id = a.person_id and p.account = a.account
    where coalesce(a.balance, -1) <> coalesce(p.tokens, 0)
  union all
  select 'lots_not_balance', 'person ' || coalesce(a.person_id, l.person_id)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id and a.account = 'tokens') a
    full join (select l.person_id, sum(l.tokens_left) as tokens from ledger.lots l, me
      where l.operator_id = me.id group by l.person_id) l on l.person_id = a.person_id
    where coalesce(a.balance, 0) <> coalesce(l.tokens, 0)
  union all
  select 'draws_not_lot', 'lot ' || coalesce(l.id, d.lot_id)
    from (select l.* from ledger.lots l, me where l.operator_id = me.id) l
    full join (select d.lot_id, sum(d.tokens) as tokens from ledger.draws d, me
      where d.operator_id = me.id group by d.lot_id) d on d.lot_id = l.id
    where l.id is null or l.tokens - l.tokens_left <> coalesce(d.tokens, 0)
  union all
  select 'holds_not_held', 'person ' || coalesce(a.person_id, h.person_id)
    from (select a.* from ledger.accounts a, me where a.operator_id = me.id and a.account = 'held') a
    full join (select h.person_id, sum(h.tokens_left) as tokens from ledger.holds h, me
      where h.operator_id = me.id group by h.person_id) h on h.person_id = a.person_id
    where coalesce(a.balance, 0) <> coalesce(h.tokens, 0)
  union all
  select 'belongs_to_nothing', 'entry ' || p.journal_id from (
      select p.operator_id, p.journal_id from ledger.postings p
      union select d.operator_id, d.journal_id from ledger.draws d) p
    join me on p.operator_id = me.id
    where not exists (select from ledger.journal j where j.operator_id = me.id and j.id = p.journal_id)
$$;

grant execute on function ledger.faults to candela_app;
