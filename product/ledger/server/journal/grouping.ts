import type { Data, OperatorScope } from '#platform/data/data.ts';
import { MAX_BATCH } from '../../rules.ts';
import type { LedgerService, Operation, PostOutcome } from '../service.ts';
import { assertSound, post } from './posting.ts';

/** Batches that commit at the same time: they overlap their fsyncs, and leave sessions for reading. */
const MAX_UNDER_WAY = 4;
/** PGlite has one session: a second batch would only queue for it. */
const MAX_UNDER_WAY_PGLITE = 1;
/** More waiting operations mean the database is far behind: failing fast saves memory and people's time. */
const MAX_WAITING = 5_000;
/**
 * SQLSTATE classes of an error in an operation itself: of data, of a constraint, raised by a function.
 * Posting one by one does not help against any other error (a lost connection, a deadlock).
 */
const ERROR_OF_OPERATION = /^(?:22|23|P0)/;

/**
 * Concurrent batches in which somebody earns: while one waits for the disk, the next does everything up to
 * the lock on their earnings. A third would only wait.
 */
const MAX_EARNING = 2;
/** Fewer than twice as many are not split: half a batch would cost as much, and commit no sooner. */
const LEAST_HALF = 16;

interface Waiting {
  readonly operation: Operation;
  /**
   * People who pay, and everybody else who does more than earn. Only one batch at a time contains a person,
   * so batches never queue for their rows, and a person's operations keep their order.
   */
  readonly people: readonly number[];
  /** People who earn: their sums don't depend on the order. */
  readonly earners: readonly number[];
  readonly resolve: (outcome: PostOutcome) => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly scope: OperatorScope;
  waiting: Waiting[];
  readonly busy: Set<number>;
  /** For each earner, the number of running batches that contain them. */
  readonly earning: Map<number, number>;
  underWay: number;
  /** The queue will be processed at the end of this turn of the event loop. */
  isTurning: boolean;
}

function peopleOf({ legs }: Operation): Pick<Waiting, 'people' | 'earners'> {
  const people = new Set<number>();
  const earners = new Set<number>();
  for (const { account, tokens } of legs) {
    if (account.kind !== 'person') continue;
    (account.book === 'earnings' && tokens > 0 ? earners : people).add(account.personId);
  }
  return { people: [...people], earners: [...earners].filter((id) => !people.has(id)) };
}

/** Takes what can run now from the queue, in order; people with an earlier operation waiting wait on. */
function takeBatch(queue: Queue, most: number): Waiting[] {
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  const behind = new Set(queue.busy);
  const behindEarning = new Set(queue.earning.keys());
  for (const waiting of queue.waiting) {
    const goes = batch.length < most
      && !waiting.people.some((id) => behind.has(id) || behindEarning.has(id))
      && !waiting.earners.some((id) => behind.has(id) || (queue.earning.get(id) ?? 0) >= MAX_EARNING);
    (goes ? batch : rest).push(waiting);
    if (goes) continue;
    for (const id of waiting.people) behind.add(id);
    for (const id of waiting.earners) behindEarning.add(id);
  }
  queue.waiting = rest;
  return batch;
}

/** Marks the people of a batch as busy; returns a function that undoes it. */
function occupy({ busy, earning }: Queue, batch: readonly Waiting[]): () => void {
  const people = new Set(batch.flatMap((waiting) => waiting.people));
  const earners = new Set(batch.flatMap((waiting) => waiting.earners));
  for (const id of people) busy.add(id);
  for (const id of earners) earning.set(id, (earning.get(id) ?? 0) + 1);
  return () => {
    for (const id of people) busy.delete(id);
    for (const id of earners) {
      const left = (earning.get(id) ?? 0) - 1;
      if (left > 0) earning.set(id, left);
      else earning.delete(id);
    }
  };
}

/**
 * Group commit. Nothing waits for a timer: everything that arrives in one turn of the event loop is a batch,
 * and while it commits, the next one gathers, so the load itself makes batches as large as they need to be.
 */
export class GroupedCommit {
  readonly #data: Data;
  readonly #queues = new Map<number, Queue>();
  readonly #most: number;

  constructor(data: Data) {
    this.#data = data;
    this.#most = data.driver === 'pglite' ? MAX_UNDER_WAY_PGLITE : MAX_UNDER_WAY;
  }

  readonly submit: LedgerService['submit'] = async ({ operatorId }, operation) => {
    assertSound(operation);
    const queue = this.#queues.get(operatorId)
      ?? {
        scope: { operatorId },
        waiting: [],
        busy: new Set<number>(),
        earning: new Map<number, number>(),
        underWay: 0,
        isTurning: false,
      };
    if (queue.waiting.length >= MAX_WAITING) {
      throw new Error(`${MAX_WAITING} operations wait for the ledger`);
    }
    this.#queues.set(operatorId, queue);
    return new Promise((resolve, reject) => {
      queue.waiting.push({ operation, ...peopleOf(operation), resolve, reject });
      this.#turn(queue);
    });
  };

  /** Processes the queue at the end of this turn of the event loop, when all its operations have arrived. */
  #turn(queue: Queue): void {
    if (queue.isTurning) return;
    queue.isTurning = true;
    setImmediate(() => this.#pump(queue));
  }

  #pump(queue: Queue): void {
    queue.isTurning = false;
    while (queue.underWay < this.#most) {
      // When all of them wait they are halved: one half is then requested while the other is written.
      const waiting = queue.waiting.length;
      const isHalved = this.#most > 1 && queue.underWay === 0 && waiting >= 2 * LEAST_HALF;
      const batch = takeBatch(queue, isHalved ? Math.min(MAX_BATCH, Math.ceil(waiting / 2)) : MAX_BATCH);
      if (batch.length === 0) break;
      queue.underWay += 1;
      const free = occupy(queue, batch);
      void this.#settle(queue.scope, batch).finally(() => {
        queue.underWay -= 1;
        free();
        this.#turn(queue);
      });
    }
    if (queue.underWay === 0) this.#queues.delete(queue.scope.operatorId);
  }

  async #settle(scope: OperatorScope, batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#post(scope, batch.map(({ operation }) => operation));
      for (const [n, outcome] of outcomes.entries()) batch[n]?.resolve(outcome);
    } catch (error) {
      const code = (error as { readonly code?: unknown }).code;
      if (batch.length > 1 && typeof code === 'string' && ERROR_OF_OPERATION.test(code)) {
        await this.#settleApart(scope, batch);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  /** Posts each operation by itself after an error, so that only the wrong one fails. */
  async #settleApart(scope: OperatorScope, batch: readonly Waiting[]): Promise<void> {
    for (const { operation, resolve, reject } of batch) {
      await this.#post(scope, [operation]).then(([outcome]) => outcome && resolve(outcome), reject);
    }
  }

  /** One outcome for each operation; `ledger.post` guarantees it. */
  #post(scope: OperatorScope, operations: readonly Operation[]): Promise<readonly PostOutcome[]> {
    return this.#data.tx(scope, (tx) => post(tx, operations));
  }
}
