import type { PoolClient } from 'pg';
import { dependentsOf, type Dependent } from './dependents.ts';
import type { SqlFunction } from './function-files.ts';

/** The error of `create or replace` when the result, the names of parameters or the kind would change. */
const OTHER_SIGNATURE = new Set(['42P13', '42809']);
/** The error when something else depends on what is dropped. */
const STILL_NEEDED = '2BP01';

const ROUTINES = `
  select p.oid::text as oid, 'drop routine ' || p.oid::regprocedure as drop
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = split_part($1, '.', 1) and p.proname = split_part($1, '.', 2)`;
/** The recorded hash, and the number of functions with that name. */
const RECORDED = `
  select f.name, f.sha256, (
    select count(*)::int from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = split_part(f.name, '.', 1) and p.proname = split_part(f.name, '.', 2)) as routines
  from platform.functions f`;
/** Everybody can call a new function, until its file grants it to somebody. */
const NOBODY = 'revoke execute on function %s from public, candela_app';

interface Recorded {
  readonly name: string;
  readonly sha256: string;
  readonly routines: number;
}

const isOfPlatform = (name: string): boolean => name.startsWith('platform.');

/**
 * Brings the functions of the platform, or of all slices, up to date with their files: changed ones are
 * replaced, those without a file are dropped. All of it, with its record, is one transaction. When a
 * signature changes, everything that depends on the function is dropped and made again.
 */
export async function applyFunctions(
  client: PoolClient,
  all: readonly SqlFunction[],
  ofPlatform: boolean,
): Promise<void> {
  const functions = all.filter(({ name }) => isOfPlatform(name) === ofPlatform);
  if (functions.length === 0) return;
  const { rows } = await client.query<Recorded>(RECORDED);
  const recorded = rows.filter(({ name }) => isOfPlatform(name) === ofPlatform);
  const current = new Map(recorded.map((item) => [item.name, item.routines === 1 ? item.sha256 : '']));
  const gone = recorded.map(({ name }) => name).filter((name) => !all.some((item) => item.name === name));
  const changed = functions.filter(({ name, sha256 }) => current.get(name) !== sha256);
  if (changed.length + gone.length === 0) return;
  await client.query('begin; set local search_path = pg_catalog, pg_temp');
  try {
    const names = new Set(changed.map(({ name }) => name));
    await new Replacement(client, all, names).run(functions, gone);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Brings functions up to date within a transaction. */
class Replacement {
  readonly #client: PoolClient;
  readonly #all: readonly SqlFunction[];
  readonly #changed: Set<string>;
  /** What was dropped along with functions whose signature changed, in the order of dropping. */
  readonly #dropped: Dependent[] = [];

  constructor(client: PoolClient, all: readonly SqlFunction[], changed: Set<string>) {
    this.#client = client;
    this.#all = all;
    this.#changed = changed;
  }

  async run(functions: readonly SqlFunction[], gone: readonly string[]): Promise<void> {
    for (const one of functions) {
      // Callers come after their callees, so dependents that a new signature adds here are still to come.
      if (!this.#changed.has(one.name)) continue;
      await this.#apply(one).catch((cause: unknown) => {
        throw new Error(`function ${one.name} could not be applied`, { cause });
      });
    }
    await this.#restore();
    for (const name of gone) await this.#remove(name);
  }

  async #apply(one: SqlFunction): Promise<void> {
    if (!(await this.#replace(one))) {
      for (const { oid, drop } of await this.#routines(one.name)) await this.#drop(oid, drop);
      await this.#client.query(one.definition);
      for (const { name, calls } of this.#all) if (calls.includes(one.name)) await this.#applyAgain(name);
    }
    await this.#dropTriggers(one.name);
    await this.#client.query([NOBODY.replace('%s', one.name), ...one.further].join(';\n'));
    await this.#client.query(
      `insert into platform.functions (name, sha256) values ($1, $2)
       on conflict (name) do update set sha256 = excluded.sha256`,
      [one.name, one.sha256],
    );
  }

  /** Applies a function later whether or not its file changed: in this run, or in that of the slices. */
  async #applyAgain(name: string): Promise<void> {
    if (!this.#all.some((item) => item.name === name)) {
      throw new Error(`${name} depends on it and has no file: a migration drops it first`);
    }
    this.#changed.add(name);
    await this.#client.query('delete from platform.functions where name = $1', [name]);
  }

  /** Creates or replaces the function; does nothing and returns false when its signature has changed. */
  async #replace({ name, definition }: SqlFunction): Promise<boolean> {
    await this.#client.query('savepoint replacing');
    try {
      await this.#client.query(definition);
      // Other types of parameters make a second function beside the first.
      if ((await this.#routines(name)).length === 1) return true;
    } catch (error) {
      if (!OTHER_SIGNATURE.has(codeOf(error))) throw error;
    }
    await this.#client.query('rollback to savepoint replacing');
    return false;
  }

  async #routines(name: string): Promise<{ readonly oid: string; readonly drop: string }[]> {
    const { rows } = await this.#client.query<{ oid: string; drop: string }>(ROUTINES, [name]);
    return rows;
  }

  async #drop(oid: string, drop: string): Promise<void> {
    const dependents = await dependentsOf(this.#client, oid);
    for (const one of dependents) {
      await this.#client.query(one.drop);
      if (one.kind === 'function' || one.kind === 'trigger') await this.#applyAgain(one.name);
      else this.#dropped.push(one);
    }
    await this.#client.query(drop).catch((cause: unknown) => {
      if (codeOf(cause) !== STILL_NEEDED) throw cause;
      throw new Error('what depends on it holds data: a migration takes it apart first', { cause });
    });
  }

  /** Drops the triggers of a function: only its file makes them again. */
  async #dropTriggers(name: string): Promise<void> {
    for (const { oid } of await this.#routines(name)) {
      const dependents = await dependentsOf(this.#client, oid);
      for (const one of dependents) {
        if (one.kind === 'trigger' && one.name === name) await this.#client.query(one.drop);
      }
    }
  }

  /** Makes the dropped dependents again. */
  async #restore(): Promise<void> {
    for (const { kind, name, create } of this.#dropped.reverse()) {
      await this.#client.query(create).catch((cause: unknown) => {
        throw new Error(
          `the ${kind} ${name} does not fit a function that changed: `
            + 'a migration drops it first',
          { cause },
        );
      });
    }
  }

  async #remove(name: string): Promise<void> {
    await this.#dropTriggers(name);
    for (const { drop } of await this.#routines(name)) await this.#client.query(drop);
    await this.#client.query('delete from platform.functions where name = $1', [name]);
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');
