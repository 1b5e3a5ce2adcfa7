import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../data.ts';

/** Values by column. */
export type OwnedRow = Readonly<Record<string, unknown>>;
export interface RowPage {
  readonly offset: number;
  readonly limit: number;
}

/** The person being erased, with the names and addresses under which others may have stored them. */
export interface ErasedPerson {
  readonly id: number;
  /** Current and former usernames, in lower case. */
  readonly names: readonly string[];
  readonly displayName: string;
  readonly email: string;
  /** An unconfirmed address may belong to somebody else. */
  readonly isEmailConfirmed: boolean;
  /** Replaces the name in rows that stay. */
  readonly pseudonym: string;
}

/** Erases at most `limit` rows and returns their number; run again, it finds none. */
export type EraseRows = (tx: Tx, person: ErasedPerson, limit: number) => Promise<number>;

/** What happens to rows when the person is erased. */
export type Erasure =
  | 'rows'
  /** Rows stay, but these columns are cleared. `because` says why the rows are still needed. */
  | { readonly clears: Readonly<Record<string, RawBuilder<unknown>>>; readonly because: string }
  | { readonly keeps: string }
  /** Erased by a function; `keeps` says why anything stays. */
  | { readonly by: EraseRows; readonly keeps?: string };

/** The rows of one table that belong to a person, for data requests and for erasure. */
export interface OwnedRows {
  readonly table: string;
  /** Columns with ids of people, which are replaced by names when the rows are shown. */
  readonly people: readonly string[];
  /** Reads in a stable order; null when the person gets no copy, for the reason in `leftOut`. */
  readonly read: ((tx: Tx, ownerId: number, page: RowPage) => Promise<readonly OwnedRow[]>) | null;
  readonly leftOut: string | null;
  /** Null when all rows stay. */
  readonly erase: EraseRows | null;
  /** Why some of the data stays; null when none does. */
  readonly keeps: string | null;
}

type Read = NonNullable<OwnedRows['read']>;

interface Described {
  readonly table: string;
  /** The columns with the id of the person a row belongs to. */
  readonly owners: readonly string[];
  readonly erase: Erasure;
  readonly people?: readonly string[];
}

/**
 * @param owner the column with the id of the person a row belongs to
 * @param columns the columns shown to them
 * @param alsoOf columns of other people whose erasure deletes the row too
 */
export function ownedRows({ table, owner, columns, order, erase, people = [], alsoOf = [] }: {
  readonly table: string;
  readonly owner: string;
  readonly columns: readonly string[];
  readonly order: readonly string[];
  readonly erase: Erasure;
  readonly people?: readonly string[];
  readonly alsoOf?: readonly string[];
}): OwnedRows {
  const list = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));
  return readRows(
    { table, owners: [owner, ...alsoOf], erase, people },
    async (tx, id, { offset, limit }) =>
      (await sql<OwnedRow>`
      select ${list(columns)} from ${sql.table(table)} where ${sql.ref(owner)} = ${id}
      order by ${list(order)} offset ${offset} limit ${limit}`.execute(tx.sql())).rows,
  );
}

/** Rows that are read by a function. */
export const readRows = (described: Described, read: Read): OwnedRows => ({
  ...erasing(described),
  people: described.people ?? [],
  read,
  leftOut: null,
});

/** Rows of which the person gets no copy. @param leftOut why not */
export const unreadRows = (leftOut: string, described: Described): OwnedRows => ({
  ...erasing(described),
  people: [],
  read: null,
  leftOut,
});

function erasing({ table, owners, erase }: Described): Pick<OwnedRows, 'table' | 'erase' | 'keeps'> {
  if (erase === 'rows') return { table, erase: deletion(table, owners), keeps: null };
  if ('keeps' in erase && !('by' in erase)) return { table, erase: null, keeps: erase.keeps };
  if ('by' in erase) return { table, erase: erase.by, keeps: erase.keeps ?? null };
  return { table, erase: clearing(table, owners, erase.clears), keeps: erase.because };
}

/** How many rows a statement wrote. */
export const countOf = async (tx: Tx, query: RawBuilder<unknown>): Promise<number> =>
  Number((await query.execute(tx.sql())).numAffectedRows ?? 0);

const ofPerson = (owners: readonly string[], id: number): RawBuilder<unknown> =>
  sql`(${sql.join(owners.map((owner) => sql`${sql.ref(owner)} = ${id}`), sql` or `)})`;

/** Deletes at most `limit` rows that meet a condition. */
export const deleteRows = (
  tx: Tx,
  table: string,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> =>
  countOf(
    tx,
    sql`delete from ${sql.table(table)} where ctid = any(array(
  select ctid from ${sql.table(table)} where ${where} limit ${limit}))`,
  );

/** Changes at most `limit` rows that meet a condition, which the changed rows no longer meet. */
export const changeRows = (
  tx: Tx,
  table: string,
  set: RawBuilder<unknown>,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<number> =>
  countOf(
    tx,
    sql`update ${sql.table(table)} set ${set} where ctid = any(array(
  select ctid from ${sql.table(table)} where ${where} limit ${limit}))`,
  );

const deletion = (table: string, owners: readonly string[]): EraseRows => (tx, { id }, limit) =>
  deleteRows(tx, table, ofPerson(owners, id), limit);

function clearing(
  table: string,
  owners: readonly string[],
  clears: Readonly<Record<string, RawBuilder<unknown>>>,
): EraseRows {
  const columns = Object.entries(clears);
  const set = sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
  const isLeft = sql.join(
    columns.map(([name, value]) => sql`${sql.ref(name)} is distinct from ${value}`),
    sql` or `,
  );
  return (tx, { id }, limit) =>
    changeRows(tx, table, set, sql`${ofPerson(owners, id)} and (${isLeft})`, limit);
}
