import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_BATCH } from '../rules.ts';
import { tables } from '../store.ts';

/** An operation with all its rows. */
export interface StoredEntry {
  readonly id: number;
  readonly operation: string;
  readonly kind: string;
  readonly at: Date;
  readonly memo: Record<string, unknown>;
  readonly facts: { name: string; key: string; payload: unknown }[];
  readonly legs: readonly {
    readonly personId: number | null;
    readonly account: string;
    readonly tokens: number;
    readonly balance: number | null;
  }[];
  readonly money: { account: string; minor: number; currency: string }[];
  readonly lots: {
    id: number;
    promotional: boolean;
    backing_cents: number;
    marketing_cents: number;
    tokens: number;
    tokens_left: number;
  }[];
  readonly draws: { lot: number; tokens: number }[];
  readonly hold: {
    readonly tokens: number;
    readonly tokensLeft: number;
    readonly expiresAt: string;
    readonly closedAt: string | null;
  } | null;
  /** Oldest first. */
  readonly reversedBy: string[];
  readonly isReversed: boolean;
  readonly reverses: string | null;
}

/** The entry of an operation id, or null. */
export async function entryOf(tx: Tx, operation: string): Promise<number | null> {
  const row = await tables(tx).selectFrom('ledger.journal').select('id')
    .where('operation', '=', operation).executeTakeFirst();
  return row?.id ?? null;
}

/** Entries of everybody, newest first, older than `before`. */
export async function newestEntries(tx: Tx, before: number, limit: number): Promise<number[]> {
  const rows = await tables(tx).selectFrom('ledger.journal').select('id')
    .where('id', '<', before).orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id }) => id);
}

/**
 * Entries that moved something of a person, newest first, older than `before`. An account's postings have the
 * order of its entries, except within one batch: reading one batch more of each account finds all.
 */
export async function entriesOf(tx: Tx, personId: number, before: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct near.journal_id as id
    from (values ('tokens'), ('earnings'), ('held'), ('debt')) book(account)
    cross join lateral (
      select p.journal_id from ledger.postings p
      where p.person_id = ${personId} and p.account = book.account and p.journal_id < ${before}
      order by p.id desc limit ${limit + MAX_BATCH}
    ) near
    order by 1 desc limit ${limit}`.execute(tables(tx));
  return rows.map(({ id }) => id);
}

/** All rows of these entries, newest first. */
export async function readEntries(tx: Tx, ids: readonly number[]): Promise<StoredEntry[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<StoredEntry>`
    select j.id, j.operation, j.kind, j.at, j.memo, j.facts,
      (select coalesce(jsonb_agg(jsonb_build_object('personId', p.person_id, 'account', p.account,
          'tokens', p.tokens, 'balance', p.balance) order by p.id), '[]')
        from ledger.postings p where p.operator_id = j.operator_id and p.journal_id = j.id) as legs,
      (select coalesce(jsonb_agg(jsonb_build_object('account', m.account, 'minor', m.minor,
          'currency', m.currency) order by m.id), '[]')
        from ledger.money_postings m where m.operator_id = j.operator_id and m.journal_id = j.id) as money,
      (select coalesce(jsonb_agg(jsonb_build_object('id', l.id, 'promotional', l.promotional,
          'backing_cents', l.backing_cents, 'marketing_cents', l.marketing_cents, 'tokens', l.tokens,
          'tokens_left', l.tokens_left) order by l.id), '[]')
        from ledger.lots l where l.operator_id = j.operator_id and l.journal_id = j.id) as lots,
      (select coalesce(jsonb_agg(jsonb_build_object('lot', d.lot_id, 'tokens', d.tokens) order by d.lot_id),
          '[]')
        from (
          select operator_id, journal_id, lot_id, tokens from ledger.draws
          union all select operator_id, journal_id, lot_id, tokens from ledger.hold_draws
        ) d where d.operator_id = j.operator_id and d.journal_id = j.id) as draws,
      (select jsonb_build_object('tokens', h.tokens, 'tokensLeft', h.tokens_left, 'expiresAt', h.expires_at,
          'closedAt', h.closed_at)
        from ledger.holds h where h.operator_id = j.operator_id and h.journal_id = j.id) as hold,
      (select coalesce(jsonb_agg(b.operation order by b.id), '[]') from ledger.reversals r
        join ledger.journal b on b.operator_id = r.operator_id and b.id = r.journal_id
        where r.operator_id = j.operator_id and r.reversed_id = j.id) as "reversedBy",
      -- The whole at once, or parts that are as much as the operator gave, or all the money where it gave
      -- no tokens.
      (select coalesce(bool_or(r.part_tokens is null) or coalesce(sum(r.part_tokens) >= (
            select -sum(p.tokens) from ledger.postings p
            where p.operator_id = j.operator_id and p.journal_id = j.id and p.person_id is null),
          sum(b.minor) + (select sum(m.minor) from ledger.money_postings m where m.operator_id = j.operator_id
            and m.journal_id = j.id and m.account like 'biller:%') = 0), false)
        from ledger.reversals r
        left join ledger.money_postings b on b.operator_id = r.operator_id and b.journal_id = r.journal_id
          and b.account like 'biller:%'
        where r.operator_id = j.operator_id and r.reversed_id = j.id) as "isReversed",
      (select b.operation from ledger.reversals r
        join ledger.journal b on b.operator_id = r.operator_id and b.id = r.reversed_id
        where r.operator_id = j.operator_id and r.journal_id = j.id) as reverses
    from ledger.journal j where j.id in (${sql.join(ids)})
    order by j.id desc`.execute(tables(tx));
  return rows;
}
