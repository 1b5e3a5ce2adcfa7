import { readFile, writeFile } from 'node:fs/promises';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';

/** What the worker opens: a directory, or memory (null), perhaps filled from an image file. */
export interface PgliteSeat {
  readonly directory: string | null;
  readonly image: string | null;
  readonly code: PgliteCode | null;
  /** A database made here is to be small, for tests that open hundreds of copies of it. */
  readonly lean: boolean;
}

/** Machine code of PGlite, for processes that open many databases: compiling it costs each a second. */
export interface PgliteCode {
  readonly server: WebAssembly.Module;
  readonly initdb: WebAssembly.Module;
}

export type PgliteRequest = { readonly id: number } & (
  | { readonly kind: 'wire'; readonly bytes: Uint8Array }
  | { readonly kind: 'image'; readonly file: string }
  | { readonly kind: 'close' }
);

export interface PgliteReply {
  readonly id: number;
  readonly bytes: Uint8Array | null;
  readonly error: string | null;
}

/** An eighth of what PGlite has: making room for the rest is a third of what opening a database costs. */
const LEAN_BUFFERS = '16MB';

/** A blob as far as PGlite asks one: the real one copies its tens of megabytes twice more. */
const bytesOf = (bytes: Buffer): Blob => ({
  type: '',
  arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
}) as unknown as Blob;

async function openDatabase(seat: PgliteSeat): Promise<PGlite> {
  const options: PGliteOptions = {};
  if (seat.directory !== null) options.dataDir = seat.directory;
  if (seat.code !== null) {
    options.pgliteWasmModule = seat.code.server;
    options.initdbWasmModule = seat.code.initdb;
  }
  if (seat.image !== null) options.loadDataDir = bytesOf(await readFile(seat.image));
  if (seat.lean) {
    options.initDbStartParams = ['--wal-segsize=1'];
    options.postgresqlconf = [`shared_buffers = ${LEAN_BUFFERS}`];
  }
  return PGlite.create(options);
}

async function answer(database: PGlite, request: PgliteRequest): Promise<Uint8Array | null> {
  if (request.kind === 'wire') return database.execProtocolRaw(request.bytes, { syncToFs: false });
  if (request.kind === 'image') {
    const image = await database.dumpDataDir('none');
    await writeFile(request.file, Buffer.from(await image.arrayBuffer()));
    return null;
  }
  await database.close();
  return null;
}

/** Takes protocol bytes, answers protocol bytes, one request after the other; never rejects. */
export type Engine = (request: PgliteRequest) => Promise<PgliteReply>;

/** Opens a database; what goes wrong, in opening too, is in the replies. */
export function openEngine(seat: PgliteSeat): Engine {
  const database = openDatabase(seat);
  let turn: Promise<unknown> = database;
  return (request) => {
    const answered = turn.then(async () => answer(await database, request)).then(
      // PGlite answers a view into its own memory: what leaves it is an exact copy.
      (bytes) => ({ id: request.id, bytes: bytes === null ? null : new Uint8Array(bytes), error: null }),
      (error: unknown) => ({
        id: request.id, bytes: null, error: error instanceof Error ? error.message : 'the database failed',
      }),
    );
    turn = answered;
    return answered;
  };
}
