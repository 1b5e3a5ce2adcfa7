import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { randomId } from '../ids.ts';
import { CachedStatements, CachingClient, type CachingConfig } from './caching-client.ts';
import { lockDirectory } from './directory-lock.ts';
import { types, type Driver } from './driver.ts';
import type { Engine, PgliteCode, PgliteReply, PgliteRequest, PgliteSource } from './pglite-engine.ts';

interface PendingRequest {
  readonly resolve: (bytes: Uint8Array | null) => void;
  readonly reject: (error: Error) => void;
}
type Request = PgliteRequest extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never;

/** Where the database is, for the socket that talks to it. */
interface PgliteHome {
  readonly ask: (request: Request) => Promise<Uint8Array | null>;
  readonly end: () => Promise<void>;
}

/**
 * PGlite in the calling thread, for tests only: crossing threads would take several times as long as a query
 * itself, and no test minds that it blocks the event loop.
 */
class PgliteHere implements PgliteHome {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async ask(request: Request): Promise<Uint8Array | null> {
    const { bytes, error } = await this.#engine({ ...request, id: 0 });
    // Answers arrive in a later turn of the event loop, as from a thread, so that sockets and timers run.
    await new Promise((done) => {
      setImmediate(done);
    });
    if (error !== null) throw new Error(error);
    return bytes;
  }

  async end(): Promise<void> {
    await this.ask({ kind: 'close' });
  }
}

/** PGlite in its thread: the main thread never runs a query. */
class PgliteThread implements PgliteHome {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #next = 0;
  #closing = false;

  constructor(worker: Worker, onLost: (error: Error) => void) {
    this.#worker = worker;
    const lost = (error: Error): void => {
      for (const waiting of this.#pending.values()) waiting.reject(error);
      this.#pending.clear();
      if (!this.#closing) onLost(error);
    };
    worker.on('message', (reply: PgliteReply) => {
      const waiting = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.error === null) waiting?.resolve(reply.bytes);
      else waiting?.reject(new Error(reply.error));
    });
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`the database thread ended with code ${code}`)));
  }

  ask(request: Request): Promise<Uint8Array | null> {
    this.#next += 1;
    const id = this.#next;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      const moved = request.kind === 'wire' ? [request.bytes.buffer as ArrayBuffer] : [];
      this.#worker.postMessage({ ...request, id }, moved);
    });
  }

  async end(): Promise<void> {
    this.#closing = true;
    await this.ask({ kind: 'close' });
    await this.#worker.terminate();
  }
}

/**
 * `AuthenticationOk` and `ReadyForQuery` (PostgreSQL protocol 3.0 §55.7): sent here because PGlite handles no
 * start-up message.
 */
const WELCOME = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);
const TERMINATE = 0x58;

function simpleQuery(text: string): Buffer {
  const head = Buffer.from([0x51, 0, 0, 0, 0]);
  head.writeInt32BE(4 + text.length + 1, 1);
  return Buffer.concat([head, Buffer.from(`${text}\0`)]);
}

/** Sent on every later connection, because it gets the session of the one before. */
const AFRESH = simpleQuery('rollback; deallocate all');
/** Sent on the first connection, which finds a session whose cached statements are known. */
const FIRST = simpleQuery('rollback');

/** The socket `pg` talks to. Messages written together (parse, bind, execute, sync) travel as one. */
class PglitePipe extends Duplex {
  readonly #home: PgliteHome;
  readonly #greeting: Buffer;
  #greeted = false;

  constructor(home: PgliteHome, greeting: Buffer) {
    super();
    this.#home = home;
    this.#greeting = greeting;
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#forward(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#forward(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  #forward(bytes: Buffer, done: (error?: Error) => void): void {
    if (!this.#greeted) {
      this.#greeted = true;
      this.#ask(this.#greeting, () => this.push(WELCOME), done);
      return;
    }
    if (bytes[0] === TERMINATE) {
      done();
      return;
    }
    this.#ask(bytes, (reply) => {
      if (reply !== null && reply.length > 0) this.push(Buffer.from(reply.buffer));
    }, done);
  }

  #ask(
    bytes: Buffer,
    answered: (reply: Uint8Array | null) => void,
    done: (error?: Error) => void,
  ): void {
    this.#home.ask({ kind: 'wire', bytes: new Uint8Array(bytes) }).then((reply) => {
      answered(reply);
      done();
    }, (error: Error) => done(error));
  }
}

/** The thread only passes answers through, so it needs no more; Node's default of 48 would stay allocated. */
const YOUNG_MB = 12;

/** The worker's file: beside this one while TypeScript runs as it is, beside the bundle after a build. */
function workerUrlBeside(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith('.ts') ? './pglite-worker.ts' : './pglite-worker.js', moduleUrl);
}

function startWorker(url: URL, source: PgliteSource): Worker {
  const options = { workerData: source, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } };
  if (!url.pathname.endsWith('.ts')) return new Worker(url, options);
  // A thread does not inherit the loader its parent runs under (tsx, vitest), so it brings its own.
  const [file, parent] = [url.href, import.meta.url].map((text) => JSON.stringify(text));
  const script = `import('tsx/esm/api').then(({ tsImport }) => tsImport(${file}, ${parent}))`;
  return new Worker(script, { ...options, eval: true });
}

const HALF_MADE = 'database.new.';
const MAKING = `const { PGlite } = require(process.argv[1]);
  PGlite.create(process.argv[2]).then((made) => made.close());`;

/**
 * Makes an empty database in a directory that has none. It runs in a process of its own, because PGlite
 * retains the memory this takes, some 200 MB, until its process ends. The database gets its final name when
 * it is complete; the rest of an interrupted start is removed, and never shared with a process that may still
 * write to it.
 */
async function makeDatabase(dataDir: string, directory: string): Promise<void> {
  if (existsSync(directory)) return;
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(HALF_MADE)) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
  const half = join(dataDir, `${HALF_MADE}${randomId()}`);
  const library = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const child = spawn(process.execPath, ['-e', MAKING, library, half], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = await once(child, 'exit') as [number | null, NodeJS.Signals | null];
  if (code !== 0) throw new Error(`the database could not be made: ${signal ?? `code ${code}`}`);
  renameSync(half, directory);
}

export interface PgliteOptions {
  /** The data directory, locked while open; null stores everything in memory. */
  readonly dataDir: string | null;
  /** File made by {@link PgliteDriver.saveImage} to start from (memory only). */
  readonly image?: string;
  readonly workerUrl?: URL;
  /** Runs PGlite without a thread of its own, for tests. */
  readonly engine?: (source: PgliteSource) => Engine;
  /** Compiled code shared with other databases; when absent, compiled for this one alone. */
  readonly code?: PgliteCode;
  /** Makes a database of small files and little memory. */
  readonly lean?: boolean;
  /** Called when the thread died: no query can be answered any more. */
  readonly onLost: (error: Error) => void;
}

export interface PgliteDriver extends Driver {
  /** Writes the whole database to a file. */
  readonly saveImage: (file: string) => Promise<void>;
}

/** The one connection to a database, made again when it breaks. */
function poolOn(home: PgliteHome, cached: CachedStatements): pg.Pool {
  let greeting = FIRST;
  const stream = (): PglitePipe => {
    const pipe = new PglitePipe(home, greeting);
    if (greeting === AFRESH) cached.clear();
    greeting = AFRESH;
    return pipe;
  };
  // The pool passes its whole configuration to its clients.
  const config: CachingConfig & pg.PoolConfig = {
    cached,
    max: 1,
    idleTimeoutMillis: 0,
    types,
    pipeline: true,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    stream,
  };
  return new pg.Pool({ ...config, Client: CachingClient as unknown as new() => pg.ClientBase });
}

/** Opens PGlite in a worker thread. Refuses a directory another process holds (`DirectoryHeld`). */
export async function openPglite(options: PgliteOptions): Promise<PgliteDriver> {
  const { dataDir, image = null, workerUrl = workerUrlBeside(import.meta.url), onLost } = options;
  const { code = null, lean = false, engine } = options;
  let unlock = (): void => {};
  let directory: string | null = null;
  if (dataDir !== null) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    unlock = lockDirectory(dataDir);
    directory = join(dataDir, 'database');
    // A caller with compiled code opens many databases, and makes each faster without another process.
    if (code === null) {
      await makeDatabase(dataDir, directory).catch((error: unknown) => {
        unlock();
        throw error;
      });
    }
  }
  const source: PgliteSource = { directory, image, code, lean };
  const here = engine?.(source);
  const home = here ? new PgliteHere(here) : new PgliteThread(startWorker(workerUrl, source), onLost);
  const pool = poolOn(home, here?.cached ?? new CachedStatements());
  pool.on('error', onLost);
  const close = async (): Promise<void> => {
    await pool.end();
    await home.end();
    unlock();
  };
  return {
    name: 'pglite',
    pool,
    sessions: 1,
    close,
    saveImage: async (file) => {
      await home.ask({ kind: 'image', file });
    },
  };
}
