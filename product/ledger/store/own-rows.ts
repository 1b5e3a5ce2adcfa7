import { sql } from 'kysely';
import { ownedRows, type OwnedRow, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'ledger.accounts', owner: 'person_id', order: ['account'],
    columns: ['account', 'balance'],
  }),
  ownedRows({
    table: 'ledger.budgets', owner: 'person_id', order: ['period'],
    columns: ['period', 'tokens', 'next_tokens', 'next_at', 'starts', 'spent'],
  }),
  ownedRows({
    table: 'ledger.standings', owner: 'person_id', order: ['person_id'],
    columns: ['cooling_off_until', 'self_excluded_until', 'blocked_cause', 'blocked_at', 'credit_tokens'],
  }),
  ownedRows({
    table: 'ledger.holds', owner: 'person_id', order: ['operation'],
    columns: ['tokens', 'tokens_left', 'expires_at', 'closed_at'],
  }),
  {
    // Without the memo, in which staff may name others; the own history shows what of it is the person's.
    table: 'ledger.postings', people: [],
    read: async (tx, personId, { offset, limit }) => (await sql<OwnedRow>`
      select j.at, j.kind, p.account, p.tokens, p.balance from ledger.postings p
      join ledger.journal j on j.operator_id = p.operator_id and j.id = p.journal_id
      where p.person_id = ${personId} order by p.id offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  },
];
