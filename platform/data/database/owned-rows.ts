import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../data.ts';

/** What stands in a column. */
export type OwnedRow = Readonly<Record<string, unknown>>;
export interface RowPage {
  readonly offset: number;
  readonly limit: number;
}

/** Whoever is erased, with what others may have stored them by. */
export interface ErasedPerson {
  readonly id: number;
  /** Usernames of now and of before, in lower case. */
  readonly names: readonly string[];
  readonly displayName: string;
  readonly email: string;
  /** Otherwise the address may be somebody else's. */
  readonly isEmailConfirmed: boolean;
  /** What stands for the name where a row stays. */
  readonly pseudonym: string;
}

/** Erases at most so many rows and answers how many there were; done again, it finds none. */
export type EraseRows = (tx: Tx, person: ErasedPerson, limit: number) => Promise<number>;

/** What becomes of rows when their person is erased. */
export type Erasure =
  | 'rows'
  /** Rows stay without these columns. `because` says what they are still needed for. */
  | { readonly clears: Readonly<Record<string, RawBuilder<unknown>>>; readonly because: string }
  | { readonly keeps: string }
  /** In a way of its own; `keeps` says why anything stays. */
  | { readonly by: EraseRows; readonly keeps?: string };

/** The rows of one table that belong to somebody, for whoever asks what is stored of them and for erasure. */
export interface OwnedRows {
  readonly table: string;
  /** Columns with ids of people; whoever shows the rows puts names there. */
  readonly people: readonly string[];
  /** Always in the same order; null where the person gets no copy of them, as `leftOut` says. */
  readonly read: ((tx: Tx, ownerId: number, page: RowPage) => Promise<readonly OwnedRow[]>) | null;
  readonly leftOut: string | null;
  /** Null where everything stays. */
  readonly erase: EraseRows | null;
  /** Why something of them stays; null where nothing does. */
  readonly keeps: string | null;
}

type Read = NonNullable<OwnedRows['read']>;

interface Described {
  readonly table: string;
  /** The columns with the id of whom a row belongs to. */
  readonly owners: readonly string[];
  readonly erase: Erasure;
  readonly people?: readonly string[];
}

/**
 * @param owner the column with the id of whom a row belongs to @param columns what is shown of it
 * @param alsoOf columns of others with whom such a row is erased too
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
  return readRows({ table, owners: [owner, ...alsoOf], erase, people }, async (tx, id, { offset, limit }) =>
    (await sql<OwnedRow>`
      select ${list(columns)} from ${sql.table(table)} where ${sql.ref(owner)} = ${id}
      order by ${list(order)} offset ${offset} limit ${limit}`.execute(tx.sql())).rows);
}

/** Rows that are read in a way of their own. */
export const readRows = (described: Described, read: Read): OwnedRows =>
  ({ ...erasing(described), people: described.people ?? [], read, leftOut: null });

/** Rows of which the person gets no copy. @param leftOut why */
export const unreadRows = (leftOut: string, described: Described): OwnedRows =>
  ({ ...erasing(described), people: [], read: null, leftOut });

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

/** Deletes rows that a condition finds, at most so many. */
export const deleteRows = (
  tx: Tx, table: string, where: RawBuilder<unknown>, limit: number,
): Promise<number> => countOf(tx, sql`delete from ${sql.table(table)} where ctid = any(array(
  select ctid from ${sql.table(table)} where ${where} limit ${limit}))`);

/** Changes rows that a condition finds, at most so many: those that are changed no longer meet it. */
export const changeRows = (
  tx: Tx, table: string, set: RawBuilder<unknown>, where: RawBuilder<unknown>, limit: number,
): Promise<number> => countOf(tx, sql`update ${sql.table(table)} set ${set} where ctid = any(array(
  select ctid from ${sql.table(table)} where ${where} limit ${limit}))`);

const deletion = (table: string, owners: readonly string[]): EraseRows => (tx, { id }, limit) =>
  deleteRows(tx, table, ofPerson(owners, id), limit);

function clearing(
  table: string, owners: readonly string[], clears: Readonly<Record<string, RawBuilder<unknown>>>,
): EraseRows {
  const columns = Object.entries(clears);
  const set = sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`));
  const isLeft = sql.join(columns.map(([name, value]) => sql`${sql.ref(name)} is distinct from ${value}`),
    sql` or `);
  return (tx, { id }, limit) =>
    changeRows(tx, table, set, sql`${ofPerson(owners, id)} and (${isLeft})`, limit);
}
