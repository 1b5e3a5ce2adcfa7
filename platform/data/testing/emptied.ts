import type { PGlite } from '@electric-sql/pglite';
import { CachedStatements } from '../drivers/caching-client.ts';
import { engineOf, openDatabase, type Engine, type PgliteSource } from '../drivers/pglite-engine.ts';

/** Tables larger than this are vacuumed, because deleted rows stay in their files until then. */
const VACUUM_BYTES = 128 * 1024;

/** PostgreSQL's own tables have smaller numbers. */
const FIRST_OWN_OID = 16_384;

/** The initial state of a database made from an image. */
interface Original {
  readonly catalog: string;
  readonly sequences: string;
  readonly sizes: string;
  readonly seeds: readonly Seed[];
}

/** A table that migrations have filled. */
interface Seed {
  readonly table: string;
  readonly columns: string;
  readonly rows: string;
}

/** Changes with every table, function, trigger, policy, role and setting, but not with rows. */
const CATALOG = [
  'pg_namespace',
  'pg_attribute',
  'pg_proc',
  'pg_trigger',
  'pg_constraint',
  'pg_policy',
  'pg_authid',
  'pg_db_role_setting',
]
  .map((name) => `(select concat(count(*), ' ', max(xmin::text::bigint)) from ${name})`).join(` || ', ' || `);

const TABLES = `select c.oid::regclass::text as name, pg_relation_size(c.oid)::int as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

const SEQUENCES = `select coalesce(string_agg(format('select setval(%L::regclass, %s, %L)',
      s.seqrelid::regclass::text, coalesce(v.last_value, s.seqstart), v.last_value is not null),
    ';'), '') as text
  from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_sequences v on v.schemaname = n.nspname and v.sequencename = c.relname`;

/** The planner's sizes of the tables and indexes. */
const SIZES = `select
    json_agg(json_build_object('oid', oid::int, 'reltuples', reltuples, 'relpages', relpages))::text as text
  from pg_class where oid >= ${FIRST_OWN_OID} and relkind in ('r', 'i')`;

/**
 * Resets what the planner has learnt since: it would plan for empty tables, and scan them row by row once the
 * next test has filled them.
 */
const forgetSizes = (sizes: string): string => `
  delete from pg_statistic where starelid >= ${FIRST_OWN_OID};
  update pg_class c set reltuples = o.reltuples, relpages = o.relpages, relallvisible = 0
  from json_to_recordset('${sizes}') as o(oid int, reltuples real, relpages int)
  where c.oid = o.oid and (c.reltuples, c.relpages) is distinct from (o.reltuples, o.relpages)`;

const rowsOf = (table: string): string =>
  `select coalesce(json_agg(t order by t::text), '[]')::text as text from ${table} t`;

/** A database that waits for the next test, with the statements its session has parsed and planned so far. */
interface Emptied {
  readonly image: string;
  readonly database: PGlite;
  readonly cached: CachedStatements;
}

/** Like `discard all`, but statements stay parsed and planned, which saves a test milliseconds for each. */
const DISCARD = `close all; set session authorization default; reset all; unlisten *;
  select pg_advisory_unlock_all(); discard temp; discard sequences`;

/**
 * Databases in memory that tests reuse: emptying one takes a tenth of the time of opening one. Each is
 * emptied when it is closed; one whose schema a test has changed is discarded.
 */
export class EmptiedDatabases {
  readonly #maxFree: number;
  readonly #free: Emptied[] = [];
  readonly #originals = new Map<string, Promise<Original>>();

  /**
   * @param maxFree emptied databases that wait for the next tests, each of some 150 MB; more are closed. An
   *   open one has timers of its own, which keep a process running.
   */
  constructor(maxFree: number) {
    this.#maxFree = maxFree;
  }

  /** Opens a database with the content of its image. */
  open(source: PgliteSource): Engine {
    const { image } = source;
    if (image === null) throw new Error('a database to be emptied starts from an image');
    const at = this.#free.findIndex((item) => item.image === image);
    const [free] = at < 0 ? [] : this.#free.splice(at, 1);
    const cached = free?.cached ?? new CachedStatements();
    const database = free ? Promise.resolve(free.database) : this.#make(source, image);
    const engine = engineOf(database, (used) => this.#giveBack({ image, database: used, cached }));
    return Object.assign(engine, { cached });
  }

  async #make(source: PgliteSource, image: string): Promise<PGlite> {
    const database = await openDatabase(source);
    if (!this.#originals.has(image)) this.#originals.set(image, originalOf(database));
    await this.#originals.get(image);
    return database;
  }

  async #giveBack(used: Emptied): Promise<void> {
    const { image, database } = used;
    const isWanted = (): boolean => this.#free.length < this.#maxFree;
    const original = await this.#originals.get(image);
    const isEmptied = isWanted() && original !== undefined && await empty(database, original);
    if (isEmptied && isWanted()) this.#free.push(used);
    else await database.close();
  }
}

const textOf = async (database: PGlite, query: string): Promise<string> =>
  (await database.query<{ text: string }>(query)).rows[0]?.text ?? '';

interface Table {
  readonly name: string;
  readonly bytes: number;
}

const tablesOf = async (database: PGlite): Promise<Table[]> =>
  (await database.query<Table>(TABLES)).rows.filter(({ bytes }) => bytes > 0);

async function originalOf(database: PGlite): Promise<Original> {
  const seeds: Seed[] = [];
  for (const { name } of await tablesOf(database)) {
    const columns = await textOf(
      database,
      `
      select string_agg(quote_ident(attname), ', ' order by attnum) as text from pg_attribute
      where attrelid = '${name}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    );
    seeds.push({ table: name, columns, rows: await textOf(database, rowsOf(name)) });
  }
  return {
    catalog: await textOf(database, `select ${CATALOG} as text`),
    sequences: await textOf(database, SEQUENCES),
    sizes: await textOf(database, SIZES),
    seeds,
  };
}

/** Deletes what tests wrote. Returns false when they changed the schema: then it can't be used again. */
async function empty(database: PGlite, { catalog, sequences, sizes, seeds }: Original): Promise<boolean> {
  await database.exec('rollback');
  await database.exec(DISCARD);
  if (await textOf(database, `select ${CATALOG} as text`) !== catalog) return false;
  const tables = await tablesOf(database);
  const unchanged = new Set<string>();
  for (const { table, rows } of seeds) {
    if (await textOf(database, rowsOf(table)) === rows) unchanged.add(table);
  }
  await database.exec(
    [
      'begin',
      // No trigger and no foreign key is in the way of deleting everything.
      'set local session_replication_role = replica',
      ...tables.filter(({ name }) => !unchanged.has(name)).map(({ name }) => `delete from ${name}`),
      ...seeds.filter(({ table }) => !unchanged.has(table)).map(({ table, columns, rows }) =>
        `insert into ${table} (${columns}) overriding system value
        select ${columns} from json_populate_recordset(null::${table}, '${rows.replaceAll('\'', '\'\'')}')`
      ),
      sequences,
      'commit',
    ].filter((text) => text !== '').join(';\n'),
  );
  const large = tables.filter(({ bytes }) => bytes > VACUUM_BYTES).map(({ name }) => name);
  if (large.length > 0) await database.exec(`vacuum ${large.join(', ')}`);
  await database.exec(forgetSizes(sizes));
  return true;
}
