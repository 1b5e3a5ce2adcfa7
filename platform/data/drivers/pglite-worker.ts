import { readFile, writeFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import type { PgliteReply, PgliteRequest, PgliteSeat } from './pglite.ts';

/** The database's own thread: takes protocol bytes, answers protocol bytes, one request after the other. */

const seat = workerData as PgliteSeat;
const port = parentPort;
if (!port) throw new Error('the PGlite worker runs only as a worker thread');

/** An eighth of what PGlite has: making room for the rest is a third of what opening a database costs. */
const LEAN_BUFFERS = '16MB';

/** A blob as far as PGlite asks one: the real one copies its tens of megabytes twice more. */
const bytesOf = (bytes: Buffer): Blob => ({
  type: '',
  arrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
}) as unknown as Blob;

async function openDatabase(): Promise<PGlite> {
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

const database = openDatabase();
let turn: Promise<unknown> = database;

port.on('message', (request: PgliteRequest) => {
  turn = turn
    .then(async () => answer(await database, request))
    .then(
      (bytes) => {
        // PGlite answers a view into its own memory: what crosses threads is an exact copy, moved.
        const copy = bytes === null ? null : new Uint8Array(bytes);
        const reply: PgliteReply = { id: request.id, bytes: copy, error: null };
        port.postMessage(reply, copy === null ? [] : [copy.buffer]);
      },
      (error: unknown) => {
        const text = error instanceof Error ? error.message : 'the database failed';
        port.postMessage({ id: request.id, bytes: null, error: text } satisfies PgliteReply);
      },
    );
});
