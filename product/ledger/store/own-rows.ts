import type { Tx } from '#platform/data/data.ts';
import {
  ownedRows,
  readRows,
  unreadRows,
  type EraseRows,
  type OwnedRow,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

const LEDGER = 'the ledger stays whole for as long as the law asks; it has an id, amounts and days';

/** Names and typed text are only in the memos. */
const redactJournal: EraseRows = async (tx, { id, names, pseudonym }, limit) => {
  const { rows } = await sql<{ redacted: number }>`select ledger.redact_person(${id}, ${[...names]}::text[],
    ${pseudonym}, ${limit}, ${tx.now}) as redacted`.execute(tx.sql());
  const redacted = rows[0]?.redacted ?? 0;
  return redacted > 0 ? redacted : forgetReasons(tx, id, limit);
};

/** Redacts why staff reversed operations of this person. */
async function forgetReasons(tx: Tx, personId: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(platform.forget_reasons(a.subject, ${limit}::int)), 0)::int as count from (
      select distinct subject from platform.audit where subject like 'operation:%' and reason is not null) a
    where exists (select from ledger.journal j join ledger.postings p
      on p.operator_id = j.operator_id and p.journal_id = j.id
      where 'operation:' || j.operation = a.subject and p.person_id = ${personId})`.execute(tx.sql());
  return rows[0]?.count ?? 0;
}

/** Redacts why staff closed somebody's spending; that they did, and when, stays. */
const forgetBlockReason: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ forgotten: number }>`
    select ledger.forget_block_reason(${id}) as forgotten`.execute(tx.sql());
  return rows[0]?.forgotten ?? 0;
};

/** The rows of this slice about a person, as they may read them. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'ledger.accounts',
    owner: 'person_id',
    order: ['account'],
    columns: ['account', 'balance'],
    erase: { keeps: LEDGER },
  }),
  ownedRows({
    table: 'ledger.budgets',
    owner: 'person_id',
    order: ['period'],
    columns: ['period', 'tokens', 'next_tokens', 'next_at', 'starts', 'spent'],
    erase: { keeps: LEDGER },
  }),
  ownedRows({
    table: 'ledger.standings',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['cooling_off_until', 'self_excluded_until', 'blocked_cause', 'blocked_at', 'credit_tokens'],
    erase: { by: forgetBlockReason, keeps: LEDGER },
  }),
  ownedRows({
    table: 'ledger.holds',
    owner: 'person_id',
    order: ['operation'],
    columns: ['tokens', 'tokens_left', 'expires_at', 'closed_at'],
    erase: { keeps: LEDGER },
  }),
  // Without the memo, in which staff may name others; the person's history shows their part of it.
  readRows(
    { table: 'ledger.postings', owners: ['person_id'], erase: { keeps: LEDGER } },
    async (tx, personId, { offset, limit }) =>
      (await sql<OwnedRow>`
      select j.at, j.kind, p.account, p.tokens, p.balance from ledger.postings p
      join ledger.journal j on j.operator_id = p.operator_id and j.id = p.journal_id
      where p.person_id = ${personId} order by p.id offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  ),
  unreadRows('it is the part of postings that the copy leaves out', {
    table: 'ledger.journal',
    owners: [],
    erase: { by: redactJournal, keeps: LEDGER },
  }),
  ...[
    { table: 'ledger.lots', owners: ['person_id'] },
    { table: 'ledger.promotional_earnings', owners: ['person_id'] },
    { table: 'ledger.redactions', owners: ['person_id'] },
  ].map((rows) =>
    unreadRows('they are made of rows that the copy has', { ...rows, erase: { keeps: LEDGER } })
  ),
  ...[
    { table: 'ledger.demo_grants', owners: ['person_id'] },
    { table: 'ledger.splits', owners: ['performer_id'] },
  ].map((rows) => unreadRows('they are settings of the house', { ...rows, erase: { keeps: LEDGER } })),
];
