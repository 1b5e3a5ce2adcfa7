import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data } from '#platform/data/data.ts';
import { blobColumns } from '#platform/data/database/named-blobs.ts';
import { blobNames } from '../extension-points.ts';
import { DEFAULT_SCOPE } from '../rules.ts';
import {
  areMostlyNamed,
  ORPHAN_MS,
  SWEEP_AFTER_START_MS,
  SWEEP_EVERY_MS,
  SWEEP_PAGE,
  SWEEP_PAUSE_MS,
  unspokenFor,
} from '../rules/blobs.ts';
import { databaseId } from '../store.ts';

const KIND = 'site.blobSweep';
const KEY = 'all';

export interface SweepDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  /** Every operator: the blobs of an omitted one would be removed. */
  readonly operators: () => Promise<readonly number[]>;
  /** The blobs belong to another database, or nothing proves that they belong to this: none is removed. */
  readonly onForeignBlobs: (ids: DatabaseIds) => void;
}

export interface DatabaseIds {
  /** Id of this database. */
  readonly database: string;
  /** The id that is stored with the blobs; null without one. */
  readonly blobsDatabase: string | null;
}

/**
 * Removes blobs that no row names: a crash between storing bytes and writing their row leaves some. Blobs and
 * database share a random id; a site that was started on another database removes nothing.
 */
export class BlobSweep {
  readonly #deps: SweepDependencies;
  #isReported = false;

  constructor(deps: SweepDependencies) {
    this.#deps = deps;
  }

  /** Blobs belong to all operators, so one deadline, of the first operator, serves all of them. */
  readonly parts = (): { start: () => Promise<void>; deadlineHandlers: DeadlineHandler[] } => ({
    start: () => this.#start(),
    deadlineHandlers: [this.#deadlineHandler()],
  });

  async #start(): Promise<void> {
    const { blobs } = this.#deps;
    const isNew = await blobs.databaseId() === null && (await blobs.list(null, 1)).length === 0;
    if (isNew) await blobs.setDatabaseId(await this.#ownId());
    // A waiting or running sweep continues: otherwise sites that are restarted often would never be swept.
    await this.#schedule(null, SWEEP_AFTER_START_MS, true);
  }

  readonly #deadlineHandler = (): DeadlineHandler => ({
    kind: KIND,
    handle: async ({ payload }) => {
      const { after = null } = (payload ?? {}) as { readonly after?: string | null };
      const last = await this.#step(after);
      await this.#schedule(last, last === null ? SWEEP_EVERY_MS : SWEEP_PAUSE_MS);
    },
  });

  /** One page of blobs. Returns its last blob; null at the end. Throws before it removes too many. */
  async #step(after: string | null): Promise<string | null> {
    const { data, blobs } = this.#deps;
    const page = await blobs.list(after, SWEEP_PAGE);
    const before = data.clock.now().getTime() - ORPHAN_MS;
    const old = page.filter(({ storedAt }) => storedAt.getTime() < before).map(({ id }) => id);
    if (old.length > 0) {
      const named = await this.#namedAmong(old);
      if (!(await this.#areOurs(old.length, named.size))) return null;
      for (const id of old) if (!named.has(id)) await blobs.remove(id);
    }
    return page.length < SWEEP_PAGE ? null : page.at(-1)?.id ?? null;
  }

  /** Whether blobs belong to this database. Those without an id do, if rows here name most of a page. */
  async #areOurs(blobs: number, named: number): Promise<boolean> {
    const [stored, database] = [await this.#deps.blobs.databaseId(), await this.#ownId()];
    if (stored === database) return true;
    if (stored === null && areMostlyNamed(blobs, named)) {
      await this.#deps.blobs.setDatabaseId(database);
      return true;
    }
    if (!this.#isReported) this.#deps.onForeignBlobs({ database, blobsDatabase: stored });
    this.#isReported = true;
    return false;
  }

  #ownId(): Promise<string> {
    return this.#deps.data.tx(DEFAULT_SCOPE, databaseId);
  }

  /** Of these blobs, those that a row of any slice and any operator names. */
  async #namedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { data, extensions, operators } = this.#deps;
    const parts = extensions.all(blobNames).flatMap((of) => of());
    const missing = unspokenFor(await data.tx(DEFAULT_SCOPE, blobColumns), parts);
    if (missing.length > 0) throw new Error(`no slice speaks for the blobs of ${missing.join(', ')}`);
    const everyone = await operators();
    if (everyone.length === 0) throw new Error('a site has an operator, so the list of them is wrong');
    const named = new Set<string>();
    for (const operatorId of everyone) {
      await data.tx({ operatorId }, async (tx) => {
        for (const { among } of parts) for (const id of await among(tx, ids)) named.add(id);
      });
    }
    return named;
  }

  #schedule(after: string | null, inMs: number, keepExisting = false): Promise<void> {
    const { operatorId } = DEFAULT_SCOPE;
    return this.#deps.data.tx({ operatorId }, (tx) =>
      tx.schedule({
        kind: KIND,
        key: KEY,
        at: new Date(tx.now.getTime() + inMs),
        payload: { after },
        keepExisting,
      }));
  }
}
