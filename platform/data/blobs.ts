import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Tx } from './data.ts';
import { randomId } from './ids.ts';

/** Bytes behind one port: local disk now, S3 later. Ids are content hashes, so a blob never changes. */
export interface Blobs {
  /**
   * Stores bytes and returns their id (hex SHA-256). Putting the same bytes again is free.
   * @param owner part of the id: equal bytes of other owners get another id, so the owner may remove theirs
   */
  readonly put: (bytes: Uint8Array, owner?: string) => Promise<string>;
  readonly get: (id: string) => Promise<Uint8Array | null>;
  readonly remove: (id: string) => Promise<void>;
  /** One page in the order of ids, beginning after `after`. Only the last page is shorter than `limit`. */
  readonly list: (after: string | null, limit: number) => Promise<readonly ListedBlob[]>;
  /** Id of the database whose rows name these blobs; null until one has been set. */
  readonly databaseId: () => Promise<string | null>;
  readonly setDatabaseId: (id: string) => Promise<void>;
}

export interface ListedBlob {
  readonly id: string;
  /** When its bytes were last stored. */
  readonly storedAt: Date;
}

const idOf = (bytes: Uint8Array, owner = ''): string =>
  createHash('sha256').update(owner === '' ? '' : `${owner}\0`).update(bytes).digest('hex');
const ID_PATTERN = /^[0-9a-f]{64}$/;
/** The file that holds the id of the database, next to the folders of blobs. */
const DATABASE_FILE = 'database-id';

/**
 * Blobs as files below `dir`, in 256 folders. A file is written elsewhere and then renamed, so that a crash
 * leaves no partial file.
 */
export function diskBlobs(dir: string): Blobs {
  const fileOf = (id: string): string => {
    if (!ID_PATTERN.test(id)) throw new Error('a blob id is 64 hex digits');
    return path.join(dir, id.slice(0, 2), id);
  };
  const databaseFile = path.join(dir, DATABASE_FILE);
  return {
    put: async (bytes, owner) => {
      const id = idOf(bytes, owner);
      await writeWhole(fileOf(id), bytes);
      return id;
    },
    get: (id) => bytesIn(fileOf(id)),
    remove: (id) => rm(fileOf(id), { force: true }),
    list: async (after, limit) => {
      const page: ListedBlob[] = [];
      for (const folder of (await namesIn(dir)).filter((name) => name >= (after ?? '').slice(0, 2))) {
        const ids = (await namesIn(path.join(dir, folder)))
          .filter((name) => ID_PATTERN.test(name) && (after === null || name > after));
        for (const id of ids) {
          if (page.length === limit) return page;
          // Removed in the meantime, so not part of the page.
          const found = await stat(fileOf(id)).catch(() => null);
          if (found) page.push({ id, storedAt: found.mtime });
        }
      }
      return page;
    },
    databaseId: async () => (await bytesIn(databaseFile))?.toString('utf8').trim() ?? null,
    setDatabaseId: (id) => writeWhole(databaseFile, id),
  };
}

async function writeWhole(file: string, content: Uint8Array | string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${randomId()}`;
  await writeFile(aside, content);
  await rename(aside, file);
}

async function bytesIn(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Names in a folder, sorted; empty when there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Blobs in memory, for tests. */
export function memoryBlobs(now: () => Date = () => new Date(0)): Blobs {
  const blobs = new Map<string, { readonly bytes: Uint8Array; readonly storedAt: Date }>();
  let database: string | null = null;
  return {
    put: async (bytes, owner) => {
      const id = idOf(bytes, owner);
      blobs.set(id, { bytes, storedAt: now() });
      return id;
    },
    get: async (id) => blobs.get(id)?.bytes ?? null,
    remove: async (id) => void blobs.delete(id),
    list: async (after, limit) =>
      [...blobs].map(([id, { storedAt }]) => ({ id, storedAt }))
        .filter(({ id }) => after === null || id > after)
        .toSorted((item, other) => (item.id < other.id ? -1 : 1)).slice(0, limit),
    databaseId: async () => database,
    setDatabaseId: async (id) => {
      database = id;
    },
  };
}

/** The blobs stored under one random key, such as the sizes of a picture. */
export interface StoredBlobs {
  readonly key: string;
  readonly blobs: readonly string[];
}

/**
 * Stores bytes, then runs the unit of work that writes the row naming them. If that throws, or `isWritten`
 * says it wrote no row, the bytes are removed again.
 */
export async function storeBlobs<Outcome>(
  blobs: Blobs,
  made: readonly { readonly bytes: Uint8Array }[],
  write: (stored: StoredBlobs) => Promise<Outcome>,
  isWritten: (outcome: Outcome) => boolean = () => true,
): Promise<Outcome> {
  const key = randomId();
  const ids = await Promise.all(made.map(({ bytes }) => blobs.put(bytes, key)));
  let isNamed = false;
  try {
    const outcome = await write({ key, blobs: ids });
    isNamed = isWritten(outcome);
    return outcome;
  } finally {
    if (!isNamed) { for (const id of ids) await blobs.remove(id); }
  }
}

/** Removes the bytes after the unit of work that deletes their row: until its commit they are still shown. */
export const removeStored = (tx: Tx, kind: string, { key, blobs }: StoredBlobs): Promise<void> =>
  tx.schedule({ kind, key, at: tx.now, payload: { blobs } });

/** Handles the deadlines of {@link removeStored}. */
export const storedRemoval = (kind: string, blobs: Blobs): DeadlineHandler => ({
  kind,
  handle: async ({ payload }) => {
    for (const id of (payload as Pick<StoredBlobs, 'blobs'>).blobs) await blobs.remove(id);
  },
});
