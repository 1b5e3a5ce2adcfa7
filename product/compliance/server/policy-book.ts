import { event, topicChannel } from '#platform/contract/event.ts';
import type { Bus, Data, OperatorScope } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { z } from 'zod';
import committedPolicies from '../region-policies.json';
import { faultsOfTable, STRICT_FALLBACK } from '../rules.ts';
import { PolicyTable, rowOfSeed, type PolicyRow, type SeedPolicy } from '../rules/policy-table.ts';
import { approvedPolicies } from '../store/policies.ts';
import type { ComplianceSettings } from './dependencies.ts';

/** Between processes only: an operator's policies changed. No socket can join this topic. */
const policiesChannel = topicChannel('internal.policies');
const policiesMoved = event({
  name: 'internal.policies',
  socket: 'room',
  from: 'server',
  shape: z.object({}),
  description: 'What processes know of the policies of this operator is out of date.',
});

interface BookDependencies {
  readonly data: Data;
  readonly bus: Bus;
  readonly site: Pick<SiteService, 'operators'>;
  readonly settings: Pick<ComplianceSettings, 'policies' | 'geoFallback'>;
}

/** The committed table, or that of a test, checked; throws with every error in it. */
function seedsOf({ policies }: BookDependencies['settings']): readonly PolicyRow[] {
  const table = policies ?? (committedPolicies as readonly SeedPolicy[]);
  const faults = faultsOfTable(table);
  if (faults.length > 0) throw new Error(`region table: ${faults.join('; ')}`);
  return table.map(rowOfSeed);
}

/**
 * The policies of every operator, in the memory of this process. Each request waits until those of its
 * operator are there (`ready`), so that nothing is ever decided by rows of before.
 */
export class PolicyBook {
  readonly #deps: BookDependencies;
  readonly #seeds: readonly PolicyRow[];
  /** For operators without rows of their own. */
  readonly #seedTable: PolicyTable;
  readonly #tables = new Map<number, PolicyTable>();
  /** Operators whose rows in memory are out of date until they are read again. */
  readonly #stale = new Set<number>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #stops: readonly (() => void)[];
  #isStarted = false;
  #epoch = 0;
  /** When rows in memory begin or end next. */
  #epochEndsAt = Number.NEGATIVE_INFINITY;

  constructor(deps: BookDependencies) {
    this.#deps = deps;
    this.#seeds = seedsOf(deps.settings);
    this.#seedTable = this.#tableWith([]);
    this.#stops = [
      deps.bus.subscribe(({ operatorId, name }) => {
        if (name === policiesMoved.name) this.#reload(operatorId);
      }),
      deps.bus.restored(() => {
        for (const operatorId of this.#tables.keys()) this.#reload(operatorId);
      }),
    ];
  }

  /**
   * Loads the policies of every operator there is; operators added later have none until they approve some.
   */
  async start(): Promise<void> {
    for (const operatorId of await this.#deps.site.operators()) await this.ready({ operatorId });
    this.#isStarted = true;
  }

  /** Resolves when the operator's current rows are in memory. Rejects when they cannot be read. */
  async ready({ operatorId }: OperatorScope): Promise<void> {
    // Another reading may have begun during the one that was waited for.
    while (this.#loading.has(operatorId) || this.#stale.has(operatorId) || !this.#tables.has(operatorId)) {
      await (this.#loading.get(operatorId) ?? this.#load(operatorId));
    }
  }

  /**
   * The policies of an operator, as they were when somebody last waited for `ready`; throws before they are
   * loaded.
   */
  of({ operatorId }: OperatorScope): PolicyTable {
    const table = this.#tables.get(operatorId);
    if (table) return table;
    if (!this.#isStarted) throw new Error(`the policies of operator ${operatorId} are not loaded`);
    return this.#seedTable;
  }

  /** Changes whenever other rows are in force than before, for any operator. */
  epoch(): string {
    const nowMs = this.#deps.data.clock.now().getTime();
    if (nowMs >= this.#epochEndsAt) {
      this.#epoch += 1;
      const tables = [this.#seedTable, ...this.#tables.values()];
      this.#epochEndsAt = Math.min(...tables.map((table) => table.changesAt(nowMs)));
    }
    return String(this.#epoch);
  }

  /** Reads the rows again here, and asks every other process to. Rejects when either fails. */
  async changed({ operatorId }: OperatorScope): Promise<void> {
    this.#stale.add(operatorId);
    await this.#load(operatorId);
    await this.#deps.bus.publishAll([
      { operatorId, channel: policiesChannel, name: policiesMoved.name, payload: {} },
    ]);
  }

  /** The table with other rows of the operator than those in memory. */
  with(rows: readonly PolicyRow[]): PolicyTable {
    return this.#tableWith(rows);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #tableWith(rows: readonly PolicyRow[]): PolicyTable {
    return new PolicyTable(this.#seeds, rows, this.#deps.settings.geoFallback ?? STRICT_FALLBACK);
  }

  /** The next request waits for the rows; one that cannot be read fails, and the next tries again. */
  #reload(operatorId: number): void {
    this.#stale.add(operatorId);
    this.#load(operatorId).catch(() => undefined);
  }

  #load(operatorId: number): Promise<void> {
    const before = this.#loading.get(operatorId) ?? Promise.resolve();
    // A reading under way may have begun before the change.
    const loading = before.catch(() => undefined)
      .then(() => this.#deps.data.read({ operatorId }, approvedPolicies))
      .then((rows) => {
        this.#tables.set(operatorId, this.#tableWith(rows));
        this.#epochEndsAt = Number.NEGATIVE_INFINITY;
        if (this.#loading.get(operatorId) === loading) this.#stale.delete(operatorId);
      })
      .finally(() => {
        if (this.#loading.get(operatorId) === loading) this.#loading.delete(operatorId);
      });
    this.#loading.set(operatorId, loading);
    return loading;
  }
}
