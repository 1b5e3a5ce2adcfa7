/**
 * Lateness of deadlines that are due every second (metered shows) beside thousands of slow ones (payments):
 * with a lane for each kind and operator, and with one lane, in turns.
 */
import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { systemClock } from '#platform/data/clock.ts';
import { openPostgres } from '#platform/data/drivers/postgres.ts';
import { openTestData, type TestData } from '#platform/data/testing.ts';
import { findPrograms, startCluster } from '#tools/machine/cluster.mjs';
import { sql } from 'kysely';
import { quantile, ratio } from './delivery/figures.ts';
import { OneLane } from './delivery/one-lane.ts';

const smoke = process.argv.includes('--smoke');
const SHOWS = 500;
const SLOW = 10_000;
/** What a payment processor takes to answer. */
const ANSWER_MS = 50;
const TURN_MS = smoke ? 5_000 : 30_000;
const TURNS = smoke ? 1 : 3;
const SECOND_MS = 1_000;
/** Everything is scheduled in this time, before the first is due. */
const LEAD_MS = 3_000;

interface Turn {
  /** Lateness of each deadline of a show, handled or still pending at the end, in milliseconds. */
  readonly lateness: readonly number[];
  readonly ticks: number;
  readonly slow: number;
}

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Handlers, and what they recorded. */
class Work {
  readonly lateness: number[] = [];
  slow = 0;
  /** When each show's next deadline is. */
  readonly #next = new Map<string, number>();
  readonly #data: TestData;

  constructor(data: TestData) {
    this.#data = data;
  }

  readonly handlers: readonly DeadlineHandler[] = [
    {
      kind: 'bench.meter',
      handle: async ({ operatorId, key, at }) => {
        this.lateness.push(systemClock.now().getTime() - at.getTime());
        const next = new Date(at.getTime() + SECOND_MS);
        this.#next.set(key, next.getTime());
        await this.#data.tx({ operatorId }, (tx) => tx.schedule({ kind: 'bench.meter', key, at: next }));
      },
    },
    {
      kind: 'bench.charge',
      handle: async () => {
        await new Promise<void>((resolve) => {
          systemClock.after('answer', ANSWER_MS, resolve);
        });
        this.slow += 1;
      },
    },
  ];

  async schedule(): Promise<void> {
    const start = new Date(systemClock.now().getTime() + LEAD_MS);
    const insert = (kind: string, count: number, spreadMs: number): Promise<unknown> =>
      this.#data.tx({ operatorId: 1 }, (tx) =>
        sql`
        insert into platform.due (kind, key, at, payload, ready_at)
        select ${kind}, n, at, 'null', at
        from generate_series(0, ${count}::int - 1) n,
          lateral (select ${start}::timestamptz + n * ${spreadMs / count}::float8 * interval '1 ms' as at) a
      `.execute(tx.sql()));
    await insert('bench.charge', SLOW, 0);
    await insert('bench.meter', SHOWS, SECOND_MS);
    for (let n = 0; n < SHOWS; n += 1) this.#next.set(String(n), start.getTime() + (n * SECOND_MS) / SHOWS);
    await wait(start.getTime() - systemClock.now().getTime());
  }

  turn(): Turn {
    const now = systemClock.now().getTime();
    const waiting = [...this.#next.values()].map((at) => now - at).filter((ms) => ms > 0);
    return { lateness: [...this.lateness, ...waiting], ticks: this.lateness.length, slow: this.slow };
  }
}

async function inLanes(): Promise<Turn> {
  const data = await openTestData({ clock: systemClock, slices: [] });
  const work = new Work(data);
  await data.attach({ subscriptions: [], deadlineHandlers: work.handlers });
  await work.schedule();
  data.start();
  await wait(TURN_MS);
  const turn = work.turn();
  await data.close();
  return turn;
}

async function inOneLane(): Promise<Turn> {
  const data = await openTestData({ clock: systemClock, slices: [] });
  const driver = openPostgres(data.databaseUrl ?? '', () => {});
  const work = new Work(data);
  const lane = new OneLane(driver.pool, work.handlers);
  await lane.prepare();
  await work.schedule();
  const run = lane.run();
  await wait(TURN_MS);
  const turn = work.turn();
  lane.stop();
  await run;
  await driver.close();
  await data.close();
  return turn;
}

const programs = findPrograms();
if (programs) {
  const cluster = await startCluster(programs, { durable: true });
  process.env['TEST_DATABASE_URL'] = cluster.url;
  try {
    const lanes: Turn[] = [];
    const one: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      lanes.push(await inLanes());
      one.push(await inOneLane());
    }
    const all = (turns: readonly Turn[]): number[] => turns.flatMap(({ lateness }) => lateness);
    const late = (turns: readonly Turn[], share: number): number => Math.round(quantile(all(turns), share));
    const sum = (counts: readonly number[]): number =>
      Math.round(counts.reduce((total, count) => total + count, 0) / (TURNS * TURN_MS / 1_000));
    const row = (what: string, turns: readonly Turn[]): Record<string, string | number> => ({
      '': what,
      'p50 late, ms': late(turns, 0.5),
      'p99 late, ms': late(turns, 0.99),
      'p99 is': ratio(late(turns, 0.99), late(lanes, 0.99)),
      'of shows a second': sum(turns.map(({ ticks }) => ticks)),
      'slow ones a second': sum(turns.map(({ slow }) => slow)),
    });
    console.log(
      `${SHOWS} deadlines a second beside ${SLOW} that take ${ANSWER_MS} ms each, ${TURN_MS} ms a `
        + `turn; a sweep comes every second, and one still waiting at the end counts with its age`,
    );
    console.table([row('lanes by kind and operator', lanes), row('one lane', one)]);
  } finally {
    await cluster.stop();
  }
} else console.log('PostgreSQL is not installed (apt-get install postgresql): nothing is measured');
