import type { DeadlineHandler } from '../../../platform/contract/bind.ts';
import type { Extensions } from '../../../platform/contract/extension-point.ts';
import type { Blobs } from '../../../platform/data/blobs.ts';
import type { Data } from '../../../platform/data/data.ts';
import { blobColumns } from '../../../platform/data/database/named-blobs.ts';
import { blobNames } from '../extension-points.ts';
import { DEFAULT_SCOPE } from '../rules.ts';
import {
  ORPHAN_MS, SWEEP_AFTER_START_MS, SWEEP_EVERY_MS, SWEEP_PAGE, SWEEP_PAUSE_MS, unspokenFor,
} from '../rules/blobs.ts';

const KIND = 'site.blobSweep';
const KEY = 'all';

export interface SweepDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  /** Every operator: the blobs of one that was left out would go. */
  readonly operators: () => Promise<readonly number[]>;
}

/** Removes blobs that no row names: a crash between storing bytes and writing their row leaves some. */
export class BlobSweep {
  readonly #deps: SweepDependencies;

  constructor(deps: SweepDependencies) {
    this.#deps = deps;
  }

  /** Blobs belong to all operators, so one deadline, of the first, is for all of them. */
  readonly parts = (): { start: () => Promise<void>; deadlineHandlers: DeadlineHandler[] } => ({
    start: () => this.#schedule(null, SWEEP_AFTER_START_MS), deadlineHandlers: [this.#deadlineHandler()],
  });

  readonly #deadlineHandler = (): DeadlineHandler => ({
    kind: KIND,
    handle: async ({ payload }) => {
      const { after = null } = (payload ?? {}) as { readonly after?: string | null };
      const last = await this.#step(after);
      await this.#schedule(last, last === null ? SWEEP_EVERY_MS : SWEEP_PAUSE_MS);
    },
  });

  /** One page of blobs. Returns the last of it; null at the end. Throws before it removes too much. */
  async #step(after: string | null): Promise<string | null> {
    const { data, blobs } = this.#deps;
    const page = await blobs.list(after, SWEEP_PAGE);
    const before = data.clock.now().getTime() - ORPHAN_MS;
    const old = page.filter(({ storedAt }) => storedAt.getTime() < before).map(({ id }) => id);
    const named = old.length === 0 ? new Set<string>() : await this.#namedAmong(old);
    for (const id of old) if (!named.has(id)) await blobs.remove(id);
    return page.length < SWEEP_PAGE ? null : page.at(-1)?.id ?? null;
  }

  /** Of these blobs, those that a row of any slice and any operator names. */
  async #namedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { data, extensions, operators } = this.#deps;
    const parts = extensions.all(blobNames).flatMap((of) => of());
    const named = new Set<string>();
    for (const operatorId of await operators()) {
      await data.tx({ operatorId }, async (tx) => {
        const missing = unspokenFor(await blobColumns(tx), parts);
        if (missing.length > 0) throw new Error(`no slice speaks for the blobs of ${missing.join(', ')}`);
        for (const { among } of parts) for (const id of await among(tx, ids)) named.add(id);
      });
    }
    return named;
  }

  #schedule(after: string | null, inMs: number): Promise<void> {
    const { operatorId } = DEFAULT_SCOPE;
    return this.#deps.data.tx({ operatorId }, (tx) => tx.schedule({
      kind: KIND, key: KEY, at: new Date(tx.now.getTime() + inMs), payload: { after },
    }));
  }
}
