import type { PoolClient, QueryResult } from 'pg';
import { ExtensionRegistry } from '../../../platform/contract/extension-point.ts';
import type { Clock } from '../../../platform/data/clock.ts';
import type { Driver } from '../../../platform/data/drivers/driver.ts';
import { dataOn, type OpenedData } from '../../../platform/data/open.ts';
import type { AccountsService } from '../../accounts/server.ts';
import { ledgerSlice, type LedgerService, type LedgerSlice } from '../../ledger/server.ts';
import type { SiteService } from '../../site/server.ts';
import type { Dice } from './dice.ts';

/** A statement that did its work, as the database was told it. */
export interface Said {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly answer: QueryResult;
}

export interface ProcessDependencies {
  readonly session: PoolClient;
  readonly clock: Clock;
  /** Whose ledger it is. */
  readonly operatorId: number;
  /** Hears the statements of each unit of work that committed, whether or not the process lived on. */
  readonly onCommit: (said: readonly Said[]) => void;
  /** What the process would log. */
  readonly onError: (text: string, fields: unknown) => void;
}

/** Where a process died: what it was about to send, or what it had just been told. */
export type CrashPoint = `${'before' | 'after'} ${'begin' | 'statement' | 'commit' | 'rollback'}`;

/** How often a process dies where it waits for the database. */
export interface Mortality { readonly dice: Dice; readonly perAwait: number }

const kindOf = (sql: string): 'begin' | 'statement' | 'commit' | 'rollback' => {
  if (/^begin\b/u.test(sql)) return 'begin';
  if (/^rollback\b/u.test(sql)) return 'rollback';
  return /\bcommit$/u.test(sql) ? 'commit' : 'statement';
};

/**
 * One life of the process that holds the ledger: the real units of work, grouping, deadlines and SQL on one
 * database session. It may die at every await: just before a statement is sent, or when its answer has come
 * and nobody has read it yet. Then nothing that waits in it goes on ever again, no `catch` and no `finally`;
 * the session's open transaction is rolled back, as the database does when a connection breaks.
 */
export class DyingProcess {
  readonly data: OpenedData;
  readonly ledger: LedgerService;
  /** Resolves with where it died. */
  readonly died: Promise<CrashPoint>;
  readonly #deps: ProcessDependencies;
  readonly #mortality: () => Mortality;
  readonly #slice: LedgerSlice;
  #die: (point: CrashPoint) => void = () => {};
  #isDead = false;
  #unit: Said[] = [];

  constructor(deps: ProcessDependencies, mortality: () => Mortality) {
    this.#deps = deps;
    this.#mortality = mortality;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
    const driver: Driver = {
      // Alone at its database, it takes over at once what the process before it held.
      name: 'pglite', sessions: 1, close: async () => {},
      pool: { connect: async () => this.#client() } as unknown as Driver['pool'],
    };
    const log = {
      warn: (fields: unknown, text: string) => deps.onError(text, fields),
      error: (fields: unknown, text: string) => deps.onError(text, fields),
    };
    // Timers die with the process that set them.
    const { now, after, every } = deps.clock;
    const whileAlive = (task: () => void) => (): void => {
      if (!this.#isDead) task();
    };
    const clock: Clock = {
      now,
      after: (name, ms, task) => after(name, ms, whileAlive(task)),
      every: (name, ms, task) => every(name, ms, whileAlive(task)),
    };
    this.data = dataOn(driver, { clock, development: true, log });
    this.#slice = ledgerSlice({
      data: this.data, extensions: new ExtensionRegistry(), demo: false,
      // Of all sites it asks for their operators alone, and who people are when tabs are told: here are none.
      site: { operators: async () => [deps.operatorId] } as unknown as SiteService,
      accounts: {} as AccountsService,
    });
    this.ledger = this.#slice.service;
  }

  /** What a starting process does: it takes over what the one before left half done. */
  async start(): Promise<void> {
    await this.data.attach({ subscriptions: [], deadlineHandlers: this.#slice.deadlineHandlers ?? [] });
    await this.#slice.start?.();
  }

  #client(): PoolClient {
    const query = async (sql: string, values?: unknown[]): Promise<QueryResult> => {
      const kind = kindOf(sql);
      await this.#wait(`before ${kind}`);
      const answer = await this.#deps.session.query(sql, values);
      this.#note(kind, { sql, values: values ?? [], answer });
      await this.#wait(`after ${kind}`);
      return answer;
    };
    return { query, release: () => {} } as unknown as PoolClient;
  }

  #note(kind: ReturnType<typeof kindOf>, said: Said): void {
    if (kind === 'statement') this.#unit.push(said);
    if (kind === 'commit') this.#deps.onCommit(this.#unit);
    if (kind !== 'statement') this.#unit = [];
  }

  /** The process goes on, or dies here: then it never comes back from this await, nor from any other. */
  async #wait(point: CrashPoint): Promise<void> {
    const { dice, perAwait } = this.#mortality();
    if (!this.#isDead && dice.chance(perAwait)) {
      this.#isDead = true;
      this.#die(point);
    }
    if (this.#isDead) await new Promise(() => {});
  }
}
