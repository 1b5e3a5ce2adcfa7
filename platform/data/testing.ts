import { buildSync } from 'esbuild';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import type { Attendance } from './attendance.ts';
import { systemClock, type Clock } from './clock.ts';
import type { Bus } from './data.ts';
import type { Log } from './delivery/retry.ts';
import type { Driver } from './drivers/driver.ts';
import { openEngine, type Engine, type PgliteCode, type PgliteSource } from './drivers/pglite-engine.ts';
import { openPglite } from './drivers/pglite.ts';
import { openPostgres } from './drivers/postgres.ts';
import { randomId } from './ids.ts';
import type { RateLimitStore } from './limits/rate-limits.ts';
import { dataOn, openData, type OpenedData } from './open.ts';
import type { Migration } from './schema/migration.ts';
import { migrate, type Schema } from './schema/migrations.ts';
import { EmptiedDatabases } from './testing/emptied.ts';
import { Schemas } from './testing/schemas.ts';

/** Emptied databases of a worker that wait for its next tests; benches close theirs, so that they end. */
const MAX_FREE_DATABASES = 2;
/** The repository, three levels above this file's directory entry. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const IMAGES = join(ROOT, '.cache/data');
const THREADS = join(ROOT, '.cache/threads');
/** Cached images, 20 MB each: those of the slices' own schemas and of a few versions of the whole one. */
const MAX_IMAGES = 8;
/** Lock that lets one test process at a time make the template database. Nothing else uses this number. */
const TEMPLATE_LOCK = 7_203_413;
/** The empty schema, from which every test database is made. */
const NOTHING: Schema = { migrations: [], functions: [] };

/** Errors of handlers are printed, because a test that does not look for them would miss them. */
const testLog: Log = {
  warn: (fields, text) => console.warn(text, fields),
  error: (fields, text) => console.error(text, fields),
};

export interface TestDataOptions {
  readonly clock: Clock;
  /** Slices whose tables are needed, in order: names of `product/order.ts`. */
  readonly slices: readonly string[];
  /** Further migrations, after the slices'. */
  readonly migrations?: readonly Migration[];
  readonly bus?: Bus;
  readonly attendance?: Attendance;
  readonly limits?: RateLimitStore;
  readonly log?: Log;
}

/** A database for one test. */
export interface TestData extends OpenedData {
  /** The URL for other processes; null for PGlite, which serves one process. */
  readonly databaseUrl: string | null;
}

/**
 * A fresh, migrated database of its own: PGlite in memory from an image that is made once per schema, or,
 * when TEST_DATABASE_URL is set, a PostgreSQL database copied from a template. `close` throws it away.
 */
export async function openTestData(options: TestDataOptions): Promise<TestData> {
  const { clock, slices, bus, attendance, limits, log = testLog } = options;
  const { code, databases, schemas } = await shared;
  const own = schemas.of(slices);
  const schema = options.migrations
    ? { ...own, migrations: [...own.migrations, ...options.migrations] }
    : own;
  // The waits for the database take real time, so a clock that jumps must not end them.
  const given = {
    clock,
    leaseClock: systemClock,
    schema,
    bus,
    attendance,
    limits,
    log,
    development: true,
  };
  const url = process.env['TEST_DATABASE_URL'];
  const openAt = (databaseUrl: string): Promise<OpenedData> => openData({ ...given, at: { databaseUrl } });
  if (url) {
    let databaseUrl: string | null = null;
    const data = await openCopy(url, schema, clock, async (at) => {
      databaseUrl = at;
      return fieldsOf(await openAt(at));
    });
    return { ...data, databaseUrl };
  }
  const image = await imageOf(schema, clock);
  const engine = (source: PgliteSource): Engine => databases.open(source);
  // Its image is of exactly this schema: there is nothing to migrate.
  const driver = await openPglite({ dataDir: null, image, onLost: rethrow, code, engine });
  return { ...fieldsOf(dataOn(driver, given)), databaseUrl: null };
}

/** The same database, not yet in use: for tests that put something between it and its users. */
export async function openTestDriver({ clock, slices, url = process.env['TEST_DATABASE_URL'] }: {
  readonly clock: Clock;
  readonly slices: readonly string[];
  readonly url?: string | undefined;
}): Promise<Driver> {
  const { code, schemas } = await shared;
  const schema = schemas.of(slices);
  if (url) return openCopy(url, schema, clock, async (at) => openPostgres(at, rethrow));
  const image = await imageOf(schema, clock);
  return openPglite({ dataDir: null, image, onLost: rethrow, code, engine: openEngine });
}

/** A database from the output of `pg_dump --inserts`, of any version and without migrating it. */
export async function openDumpedDriver(dump: string, clock: Clock): Promise<Driver> {
  const url = process.env['TEST_DATABASE_URL'];
  const driver = url
    ? await openCopy(url, NOTHING, clock, async (at) => openPostgres(at, rethrow))
    : await openPglite({
      dataDir: null,
      image: await imageOf(NOTHING, clock),
      onLost: rethrow,
      engine: openEngine,
      code: (await shared).code,
    });
  // Migrating to an empty schema leaves the list of migrations, which the dump contains too.
  await driver.pool.query('drop schema platform cascade');
  const client = await driver.pool.connect();
  await client.query(dump);
  // The dump has set its own search path and more.
  await client.query('reset all');
  client.release();
  return driver;
}

/** Missing in the types of Node. */
interface Compiling {
  readonly WebAssembly: { readonly compile: (bytes: Uint8Array) => Promise<WebAssembly.Module> };
}

/**
 * Shared by all databases of this thread, because it would cost each of them two seconds of processor time.
 */
export const shared = prepare();

async function prepare(): Promise<{
  readonly workerUrl: URL;
  readonly code: PgliteCode;
  readonly databases: EmptiedDatabases;
  readonly schemas: Schemas;
}> {
  const files = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  const { WebAssembly: wasm } = globalThis as unknown as Compiling;
  const compiled = (name: string): Promise<WebAssembly.Module> =>
    wasm.compile(readFileSync(join(files, name)));
  const [server, initdb] = await Promise.all([compiled('pglite.wasm'), compiled('initdb.wasm')]);
  // Only tests of the thread itself need its file.
  return {
    get workerUrl() {
      return strippedWorker();
    },
    code: { server, initdb },
    schemas: new Schemas(ROOT),
    databases: new EmptiedDatabases(process.env['VITEST'] === undefined ? 0 : MAX_FREE_DATABASES),
  };
}

/** The database's thread as plain JavaScript, so that no thread loads a TypeScript loader. */
function strippedWorker(): URL {
  const { outputFiles: [built] } = buildSync({
    entryPoints: [fileURLToPath(new URL('drivers/pglite-worker.ts', import.meta.url))],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
  });
  const code = built?.text ?? '';
  const digest = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const file = join(THREADS, `pglite-worker-${digest}.mjs`);
  if (!existsSync(file)) {
    mkdirSync(THREADS, { recursive: true });
    const half = `${file}.${randomId()}`;
    writeFileSync(half, code);
    renameSync(half, file);
  }
  return pathToFileURL(file);
}

/** The file of a migrated, empty PGlite database. If two processes make it at once, the last rename wins. */
async function imageOf(schema: Schema, clock: Clock): Promise<string> {
  const { code, schemas } = await shared;
  const file = join(IMAGES, `${schemas.hashOf(schema)}-lean.tar`);
  if (existsSync(file)) {
    // Its modification time is that of its last use, so that images in use are never among the oldest.
    const now = systemClock.now();
    utimesSync(file, now, now);
    return file;
  }
  mkdirSync(IMAGES, { recursive: true });
  // Making a database from nothing takes seconds; every schema starts from the same empty one.
  const image = schema !== NOTHING ? await imageOf(NOTHING, clock) : undefined;
  discardOldImages();
  const driver = await openPglite({
    dataDir: null,
    image,
    lean: true,
    onLost: rethrow,
    code,
    engine: openEngine,
  });
  try {
    if (image === undefined) await dropTemplates(driver.pool);
    await migrateOn(driver.pool, schema, clock);
    const half = `${file}.${randomId()}`;
    await driver.saveImage(half);
    renameSync(half, file);
  } finally {
    await driver.close();
  }
  return file;
}

/** Drops the two databases that new ones would be copied from: they are half of an empty database. */
async function dropTemplates(pool: pg.Pool): Promise<void> {
  for (const template of ['template0', 'template1']) {
    await pool.query(`alter database ${template} is_template false`);
    await pool.query(`drop database ${template}`);
  }
}

/** Deletes images of schemas that were left behind: those unused for longest. */
function discardOldImages(): void {
  const age = (name: string): number => statSync(join(IMAGES, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const images = readdirSync(IMAGES).filter((name) => name.endsWith('.tar')).sort((a, b) => age(b) - age(a));
  for (const name of images.slice(MAX_IMAGES)) rmSync(join(IMAGES, name), { force: true });
}

function rethrow(error: Error): never {
  throw error;
}

async function migrateOn(pool: pg.Pool, schema: Schema, clock: Clock): Promise<void> {
  const client = await pool.connect();
  try {
    await migrate(client, schema, clock.now());
  } finally {
    client.release();
  }
}

async function openCopy<T extends { readonly close: () => Promise<void> }>(
  url: string,
  schema: Schema,
  clock: Clock,
  open: (url: string) => Promise<T>,
): Promise<T> {
  const named = (name: string): string => {
    const address = new URL(url);
    address.pathname = `/${name}`;
    return address.href;
  };
  const template = `candela_template_${(await shared).schemas.hashOf(schema)}`;
  const copy = `candela_test_${randomId().replace(/[^a-z0-9]/gi, '').toLowerCase()}`;
  const server = async (work: (client: pg.Client) => Promise<unknown>): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  await server(async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) {
      const half = `${copy}_half`;
      await client.query(`create database ${half}`);
      const pool = new pg.Pool({ connectionString: named(half), max: 1 });
      try {
        try {
          await migrateOn(pool, schema, clock);
        } finally {
          await pool.end();
        }
        await client.query(`alter database ${half} rename to ${template}`);
      } catch (error) {
        await client.query(`drop database ${half}`);
        throw error;
      }
    }
    await client.query(`create database ${copy} template ${template}`);
  });
  const opened = await open(named(copy));
  const close = async (): Promise<void> => {
    await opened.close();
    await server((client) => client.query(`drop database ${copy}`));
  };
  return { ...opened, close };
}

/** The methods of an opened database are bound fields. */
const fieldsOf = (data: OpenedData): OpenedData => ({
  clock: data.clock,
  driver: data.driver,
  bus: data.bus,
  attendance: data.attendance,
  limits: data.limits,
  tx: data.tx,
  read: data.read,
  attach: data.attach,
  start: data.start,
  settle: data.settle,
  close: data.close,
});
