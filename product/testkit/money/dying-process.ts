import { API_BASE } from '#platform/contract/client.ts';
import { ExtensionRegistry } from '#platform/contract/extension-point.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Driver } from '#platform/data/drivers/driver.ts';
import { dataOn, type OpenedData } from '#platform/data/open.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { ledgerSlice, type LedgerService, type LedgerSlice } from '#product/ledger/server.ts';
import type { SiteService } from '#product/site/server.ts';
import type { PoolClient, QueryResult } from 'pg';
import type { Dice } from './dice.ts';

/** A statement the database has executed, with its result. */
export interface Executed {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly answer: QueryResult;
}

export interface ProcessDependencies {
  readonly session: PoolClient;
  readonly clock: Clock;
  /** The operator whose ledger it is. */
  readonly operatorId: number;
  /** Receives the statements of each committed unit of work, even when the process died after the commit. */
  readonly onCommit: (statements: readonly Executed[]) => void;
  /** Receives what the process logs. */
  readonly onError: (text: string, fields: unknown) => void;
}

/** Where a process died: before it sent a statement, or after the result arrived. */
export type CrashPoint = `${'before' | 'after'} ${'begin' | 'statement' | 'commit' | 'rollback'}`;

/** The probability that a process dies at an await of the database. */
export interface Mortality {
  readonly dice: Dice;
  readonly perAwait: number;
}

const kindOf = (sql: string): 'begin' | 'statement' | 'commit' | 'rollback' => {
  if (/^begin\b/u.test(sql)) return 'begin';
  if (/^rollback\b/u.test(sql)) return 'rollback';
  return /\bcommit$/u.test(sql) ? 'commit' : 'statement';
};

/**
 * One run of the process that owns the ledger: the real units of work, grouping, deadlines and SQL on one
 * database session. It may die at every await: before a statement is sent, or after its result arrived.
 * Then no pending promise in it ever settles, so no `catch` or `finally` runs; the session's open
 * transaction is rolled back, as the database does when a connection breaks.
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
  #unit: Executed[] = [];

  constructor(deps: ProcessDependencies, mortality: () => Mortality) {
    this.#deps = deps;
    this.#mortality = mortality;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
    const driver: Driver = {
      // A PGlite database has one process, which takes over its predecessor's locks at once.
      name: 'pglite',
      sessions: 1,
      close: async () => {},
      pool: { connect: async () => this.#client(), on: () => {} } as unknown as Driver['pool'],
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
      data: this.data,
      extensions: new ExtensionRegistry(),
      demo: false,
      apiBase: API_BASE,
      // The ledger needs the operators of the sites; it needs accounts only to update open tabs.
      site: { operators: async () => [deps.operatorId] } as unknown as SiteService,
      accounts: {} as AccountsService,
    });
    this.ledger = this.#slice.service;
  }

  /** Starts as a real process does, and takes over the unfinished work of its predecessor. */
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

  #note(kind: ReturnType<typeof kindOf>, statement: Executed): void {
    if (kind === 'statement') this.#unit.push(statement);
    if (kind === 'commit') this.#deps.onCommit(this.#unit);
    if (kind !== 'statement') this.#unit = [];
  }

  /** Returns, or dies here: then this await and every other one never settle. */
  async #wait(point: CrashPoint): Promise<void> {
    const { dice, perAwait } = this.#mortality();
    if (!this.#isDead && dice.chance(perAwait)) {
      this.#isDead = true;
      this.#die(point);
    }
    if (this.#isDead) await new Promise(() => {});
  }
}
