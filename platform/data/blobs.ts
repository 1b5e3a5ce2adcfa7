import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { randomId } from './ids.ts';

/** Bytes behind one port: local disk now, S3 later. Ids are content hashes, so a blob never changes. */
export interface Blobs {
  /**
   * Stores bytes and returns their id (hex SHA-256). Putting the same bytes again is free.
   * @param owner makes the id its own: nobody else's equal bytes share it, so its owner may remove it
   */
  readonly put: (bytes: Uint8Array, owner?: string) => Promise<string>;
  readonly get: (id: string) => Promise<Uint8Array | null>;
  readonly remove: (id: string) => Promise<void>;
}

const idOf = (bytes: Uint8Array, owner = ''): string =>
  createHash('sha256').update(owner === '' ? '' : `${owner}\0`).update(bytes).digest('hex');
const ID_PATTERN = /^[0-9a-f]{64}$/;

/** Blobs as files below `dir`, in 256 folders; written aside and renamed, so a crash leaves no half file. */
export function diskBlobs(dir: string): Blobs {
  const fileOf = (id: string): string => {
    if (!ID_PATTERN.test(id)) throw new Error('a blob id is 64 hex digits');
    return path.join(dir, id.slice(0, 2), id);
  };
  return {
    put: async (bytes, owner) => {
      const id = idOf(bytes, owner);
      const file = fileOf(id);
      await mkdir(path.dirname(file), { recursive: true });
      const aside = `${file}.${randomId()}`;
      await writeFile(aside, bytes);
      await rename(aside, file);
      return id;
    },
    get: async (id) => {
      try {
        return await readFile(fileOf(id));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    remove: (id) => rm(fileOf(id), { force: true }),
  };
}

/** Blobs in memory, for tests. */
export function memoryBlobs(): Blobs {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (bytes, owner) => {
      const id = idOf(bytes, owner);
      blobs.set(id, bytes);
      return id;
    },
    get: async (id) => blobs.get(id) ?? null,
    remove: async (id) => void blobs.delete(id),
  };
}
