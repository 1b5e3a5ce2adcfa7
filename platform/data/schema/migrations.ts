import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PoolClient } from 'pg';
import { adoptBaselines, readReplaced } from './baselines.ts';
import { readFunctions, type SqlFunction } from './function-files.ts';
import { applyFunctions } from './functions.ts';
import { migrationHash, SchemaMismatch, type Migration } from './migration.ts';

/** The state a database is brought to: migrations make its tables, then functions match their files. */
export interface Schema {
  readonly migrations: readonly Migration[];
  readonly functions: readonly SqlFunction[];
}

const PLATFORM = 'platform/data/tables';

/**
 * Reads the platform's own schema, then those of the slices in the given order. `root` holds
 * `platform/data/tables` and `product/<slice>/tables`: the repository, or a copy of it.
 */
export function readSchema(root: string, slices: readonly string[]): Schema {
  const folders = [PLATFORM, ...slices.map((slice) => `product/${slice}/tables`)];
  const migrations = folders.flatMap((folder) => {
    const path = join(root, folder);
    if (!existsSync(path)) return [];
    const files = readdirSync(path).filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file)).sort();
    return files.map((file) => ({
      name: `${folder}/${file}`,
      sql: readFileSync(join(path, file), 'utf8'),
      ...readReplaced(root, `${folder}/${file}`),
    }));
  });
  return { migrations, functions: readFunctions(root, folders.map((folder) => `${folder}/functions`)) };
}

/** Makes two processes that start together migrate one after the other. Nothing else uses this number. */
const MIGRATION_LOCK = 7_203_411;

const FOUNDATION = `
  create schema if not exists platform;
  create table if not exists platform.migrations (
    name text primary key, sha256 text not null, at timestamptz not null
  );
  do $$ begin
    if not exists (select from pg_roles where rolname = 'candela_app') then
      create role candela_app nologin;
    end if;
  exception when duplicate_object or unique_violation then null;
  end $$;
  do $$ begin
    if not pg_has_role(current_user, 'candela_app', 'member') then
      execute 'grant candela_app to current_user';
    end if;
  end $$;`;

/**
 * Brings the schema up to date. Runs as the connecting user, who owns everything. Throws when an applied
 * migration has changed or vanished, or when a new one sorts before an applied one of the same folder,
 * because migrations only go forward. The platform comes first, with its functions, because the migrations of
 * slices call them.
 */
export async function migrate(client: PoolClient, schema: Schema, now: Date): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  try {
    await client.query(FOUNDATION);
    const applied = new Map<string, string>();
    const { rows } = await client.query<{ name: string; sha256: string }>(
      'select name, sha256 from platform.migrations',
    );
    for (const row of rows) applied.set(row.name, row.sha256);
    await adoptBaselines(client, schema.migrations, applied, now);
    const open = pending(schema.migrations, applied);
    for (const isPlatform of [true, false]) {
      for (const migration of open) {
        if (migration.name.startsWith(PLATFORM) === isPlatform) await apply(client, migration, now);
      }
      await applyFunctions(client, schema.functions, isPlatform);
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  }
}

function pending(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const known = new Set(migrations.map(({ name }) => name));
  for (const name of applied.keys()) {
    if (known.has(name)) continue;
    throw new SchemaMismatch(`this database was migrated by a newer version: it has ${name}`);
  }
  const folderOf = (name: string): string => name.slice(0, name.lastIndexOf('/'));
  const open: Migration[] = [];
  for (const migration of migrations) {
    const hash = applied.get(migration.name);
    if (hash === undefined) open.push(migration);
    else if (hash !== migrationHash(migration)) {
      throw new SchemaMismatch(
        `${migration.name} was applied with another text: add a new migration instead of changing it`,
      );
    } else if (open.some(({ name }) => folderOf(name) === folderOf(migration.name))) {
      throw new SchemaMismatch(
        `${migration.name} was applied before a migration numbered lower: give the new one a new number`,
      );
    }
  }
  return open;
}

async function apply(client: PoolClient, migration: Migration, now: Date): Promise<void> {
  await client.query('begin');
  try {
    await client.query(migration.sql);
    await client.query('insert into platform.migrations (name, sha256, at) values ($1, $2, $3)', [
      migration.name,
      migrationHash(migration),
      now,
    ]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`migration ${migration.name} failed`, { cause: error });
  }
}
