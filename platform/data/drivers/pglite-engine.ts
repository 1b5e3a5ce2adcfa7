import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { pg_trgm as trigrams } from '@electric-sql/pglite/contrib/pg_trgm';
import { readFile, writeFile } from 'node:fs/promises';
import type { CachedStatements } from './caching-client.ts';

/** The database that a worker opens: in a directory, or in memory (null), perhaps from an image file. */
export interface PgliteSource {
  readonly directory: string | null;
  readonly image: string | null;
  readonly code: PgliteCode | null;
  /** Makes a small database, for tests that open hundreds of copies of it. */
  readonly lean: boolean;
}

/**
 * Compiled WebAssembly of PGlite, for processes that open many databases: compiling takes a second each time.
 */
export interface PgliteCode {
  readonly server: WebAssembly.Module;
  readonly initdb: WebAssembly.Module;
}

export type PgliteRequest =
  & { readonly id: number }
  & (
    | { readonly kind: 'wire'; readonly bytes: Uint8Array }
    | { readonly kind: 'image'; readonly file: string }
    | { readonly kind: 'close' }
  );

export interface PgliteReply {
  readonly id: number;
  readonly bytes: Uint8Array | null;
  readonly error: string | null;
}

/**
 * An eighth of PGlite's default, which is allocated at once whatever the database holds. Further pages come
 * from the system's file cache.
 */
const SHARED_BUFFERS = '16MB';

/** The part of a blob that PGlite uses. A real `Blob` would copy its tens of megabytes twice more. */
const bytesOf = (bytes: Buffer): Blob =>
  ({
    type: '',
    arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  }) as unknown as Blob;

export async function openDatabase(source: PgliteSource): Promise<PGlite> {
  // The extensions that migrations may create.
  const options: PGliteOptions = {
    extensions: { pg_trgm: trigrams },
    startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${SHARED_BUFFERS}`],
  };
  if (source.directory !== null) options.dataDir = source.directory;
  if (source.code !== null) {
    options.pgliteWasmModule = source.code.server;
    options.initdbWasmModule = source.code.initdb;
  }
  if (source.image !== null) options.loadDataDir = bytesOf(await readFile(source.image));
  if (source.lean) options.initDbStartParams = ['--wal-segsize=1'];
  return PGlite.create(options);
}

/**
 * Streams the answer, because `execProtocolRaw` would also parse every answer, and retain what it has parsed
 * for ever.
 * @returns exactly these bytes, in a copy of its own
 */
async function exchange(database: PGlite, bytes: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  // Each part is a view into PGlite's own memory.
  const onRawData = (part: Uint8Array): void => void parts.push(part.slice());
  await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData });
  const [only, ...more] = parts;
  if (only && more.length === 0) return only;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function answer(
  database: PGlite,
  request: PgliteRequest,
  close: () => Promise<void>,
): Promise<Uint8Array | null> {
  if (request.kind === 'wire') return exchange(database, request.bytes);
  if (request.kind === 'image') {
    const image = await database.dumpDataDir('none');
    await writeFile(request.file, Buffer.from(await image.arrayBuffer()));
    return null;
  }
  await close();
  return null;
}

/** Takes protocol bytes, answers protocol bytes, one request after the other; never rejects. */
export interface Engine {
  (request: PgliteRequest): Promise<PgliteReply>;
  /** The statements its session has already cached, if the database was used before. */
  readonly cached?: CachedStatements;
}

/** Opens a database. All errors, including those of opening it, are in the replies. */
export function openEngine(source: PgliteSource): Engine {
  return engineOf(openDatabase(source), (database) => database.close());
}

/** Runs requests on a database, one after the other. @param close what a close request does. */
export function engineOf(
  database: Promise<PGlite>,
  close: (database: PGlite) => Promise<void>,
): Engine {
  let turn: Promise<unknown> = database;
  let isClosed = false;
  const run = async (request: PgliteRequest): Promise<Uint8Array | null> => {
    if (isClosed) throw new Error('the database is closed');
    isClosed = request.kind === 'close';
    const opened = await database;
    return answer(opened, request, () => close(opened));
  };
  return (request) => {
    const answered = turn.then(() => run(request)).then(
      (bytes) => ({ id: request.id, bytes, error: null }),
      (error: unknown) => ({
        id: request.id,
        bytes: null,
        error: error instanceof Error ? error.message : 'the database failed',
      }),
    );
    turn = answered;
    return answered;
  };
}
