import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PoolClient } from 'pg';
import { migrationHash, SchemaMismatch, type Migration } from './migration.ts';

/** The last commit with the migrations that baselines replaced: it completes a database that lacks some. */
const LAST_BEFORE_BASELINES = '50de409f';

/** A line of `sha256sum`. */
const LINE = /^([0-9a-f]{64}) {2}(\S+)$/u;

/**
 * What a baseline replaces: `0001-baseline.sha256` beside it lists the former migrations of its folder, in
 * the format of `sha256sum`. Other migrations have no such file.
 * @param name path of the migration below the root
 */
export function readReplaced(root: string, name: string): Pick<Migration, 'replaces'> {
  const path = join(root, name.replace(/\.sql$/u, '.sha256'));
  if (!existsSync(path)) return {};
  return {
    replaces: readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => {
      const [, sha256, file] = LINE.exec(line) ?? [];
      if (sha256 === undefined) throw new Error(`${path}: not a line of sha256sum: ${line}`);
      return { name: `${dirname(name)}/${file}`, sha256 };
    }),
  };
}

/**
 * Recognizes a database from before the baselines. One that has all migrations that a baseline replaces has
 * the baseline's tables too: its rows of these migrations become one of the baseline. Throws when some are
 * missing or had another text, and then changes nothing.
 * @param applied hashes of applied migrations by name; brought up to date
 */
export async function adoptBaselines(
  client: PoolClient,
  migrations: readonly Migration[],
  applied: Map<string, string>,
  now: Date,
): Promise<void> {
  const adopted = migrations.filter((migration) => isComplete(migration, applied));
  if (adopted.length === 0) return;
  await client.query('begin');
  try {
    for (const migration of adopted) {
      const names = (migration.replaces ?? []).map(({ name }) => name);
      const sha256 = migrationHash(migration);
      await client.query('delete from platform.migrations where name = any($1)', [names]);
      await client.query('insert into platform.migrations (name, sha256, at) values ($1, $2, $3)', [
        migration.name,
        sha256,
        now,
      ]);
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
  for (const migration of adopted) {
    for (const { name } of migration.replaces ?? []) applied.delete(name);
    applied.set(migration.name, migrationHash(migration));
  }
}

/** Whether a database has everything that a migration replaces; false if it has none of it. */
function isComplete(
  { name: baseline, replaces = [] }: Migration,
  applied: ReadonlyMap<string, string>,
): boolean {
  const found = replaces.filter(({ name }) => applied.has(name));
  if (found.length === 0) return false;
  const missing = replaces.find(({ name }) => !applied.has(name));
  if (missing !== undefined) {
    throw new SchemaMismatch(
      `this database is older than ${baseline} and lacks ${missing.name}, which it replaced: start the last `
        + `version before it once (commit ${LAST_BEFORE_BASELINES}) to complete the database, then this one`,
    );
  }
  const changed = replaces.find(({ name, sha256 }) => applied.get(name) !== sha256);
  if (changed !== undefined) {
    throw new SchemaMismatch(
      `${changed.name} was applied with another text than the one ${baseline} replaced`,
    );
  }
  return true;
}
