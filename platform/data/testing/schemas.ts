import { createHash } from 'node:crypto';
import { migrationHash } from '../schema/migration.ts';
import { readSchema, type Schema } from '../schema/migrations.ts';

/** Schemas of slices, read from a hundred files once a process. */
export class Schemas {
  readonly #root: string;
  readonly #read = new Map<string, Schema>();
  readonly #hashes = new WeakMap<Schema, string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** The schema of slices, in their order. */
  of(slices: readonly string[]): Schema {
    const known = this.#read.get(slices.join()) ?? readSchema(this.#root, slices);
    this.#read.set(slices.join(), known);
    return known;
  }

  /** Changes with every migration and function. */
  hashOf(schema: Schema): string {
    const { migrations, functions } = schema;
    const hash = this.#hashes.get(schema) ?? createHash('sha256')
      .update(migrations.map((migration) => `${migration.name} ${migrationHash(migration)}`).join('\n'))
      .update(functions.map(({ name, sha256 }) => `${name} ${sha256}`).join('\n'))
      .digest('hex')
      .slice(0, 16);
    this.#hashes.set(schema, hash);
    return hash;
  }
}
