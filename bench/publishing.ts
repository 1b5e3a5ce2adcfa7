/**
 * Socket events on their way from PostgreSQL (with fsync) to the bus, by two publishers: in shards of the
 * channels, and under one lock for all of them, in turns. How many a second; how old the events of quiet
 * channels get beside a flood in another, and while one publisher's bus confirms late.
 */
import { topicChannel } from '#platform/contract/event.ts';
import { memoryBus } from '#platform/data/bus.ts';
import { systemClock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import { Sessions } from '#platform/data/database/sessions.ts';
import { Owner } from '#platform/data/delivery/owner.ts';
import { EventPublishing } from '#platform/data/delivery/publishing.ts';
import type { Driver } from '#platform/data/drivers/driver.ts';
import { openPostgres } from '#platform/data/drivers/postgres.ts';
import { openTestData } from '#platform/data/testing.ts';
import { findPrograms, startCluster } from '#tools/machine/cluster.mjs';
import type pg from 'pg';
import { median, quantile, ratio } from './delivery/figures.ts';
import { OneLock } from './delivery/one-lock.ts';

const smoke = process.argv.includes('--smoke');
const TURNS = smoke ? 1 : 3;
const EVENTS = smoke ? 2_000 : 20_000;
const CHANNELS = 200;
const FLOOD = smoke ? 2_000 : 10_000;
const QUIET = 40;
const QUIET_ROUNDS = smoke ? 10 : 50;
/** Between two events of a quiet channel. */
const QUIET_MS = 20;
/** How long Redis takes to confirm, and how long to a distant or busy process. */
const CONFIRM_MS = 1;
const LATE_CONFIRM_MS = 50;

type Variant = 'shards' | 'one lock';

const wait = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Two publishers on a fresh database. */
class Site {
  readonly #bus = memoryBus(console);
  readonly #drains: (() => Promise<number>)[] = [];
  readonly #stops: (() => Promise<void>)[] = [];
  readonly #pool: pg.Pool;
  #published = 0;
  #isRunning = true;
  /** Ages of the events that carry a sending time, in milliseconds. */
  readonly ages: number[] = [];

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#bus.subscribe(({ payload }) => {
      this.#published += 1;
      const { sentAt } = payload as { readonly sentAt: number | null };
      if (sentAt !== null) this.ages.push(systemClock.now().getTime() - sentAt);
    });
  }

  static async open(variant: Variant, confirmMs: readonly number[]): Promise<Site> {
    const data = await openTestData({ clock: systemClock, slices: [] });
    const open = (): Driver => openPostgres(data.databaseUrl ?? '', () => {});
    const writer = open();
    const site = new Site(writer.pool);
    site.#stops.push(data.close, writer.close);
    if (variant === 'one lock') {
      await writer.pool.query('create index outbox_events on platform.outbox (id) where consumer = \'\'');
    }
    for (const ms of confirmMs) {
      const driver = open();
      site.#stops.push(driver.close);
      site.#drains.push(site.#publisher(variant, driver, ms));
    }
    return site;
  }

  #publisher(variant: Variant, driver: Driver, confirmMs: number): () => Promise<number> {
    const bus: Bus = {
      ...this.#bus,
      isShared: true,
      publishAll: async (messages) => {
        await this.#bus.publishAll(messages);
        await wait(confirmMs);
      },
    };
    if (variant === 'one lock') return new OneLock(driver.pool, bus).drain;
    const owner = new Owner(new Sessions(driver, systemClock));
    return new EventPublishing({ owner, bus, isAlone: false }).drain;
  }

  async send(channels: readonly string[], count: number, sentAt: number | null): Promise<void> {
    await this.#pool.query(
      `insert into platform.outbox (operator_id, consumer, name, key, payload, at, ready_at)
       select 1, '', 'v3.bench', ($1::text[])[1 + n % cardinality($1::text[])],
         jsonb_build_object('sentAt', $3::float8, 'text', repeat('x', 200)), $4, $4
       from generate_series(0, $2::int - 1) n`,
      [channels, count, sentAt, systemClock.now()],
    );
  }

  /** Runs both publishers repeatedly until everything is published. */
  async publish(count: number): Promise<void> {
    await Promise.all(this.#drains.map(async (drain) => {
      while (this.#isRunning && this.#published < count) if ((await drain()) === 0) await wait(1);
    }));
  }

  async close(): Promise<void> {
    this.#isRunning = false;
    for (const stop of this.#stops.toReversed()) await stop();
  }
}

/** Events per second of many channels, all waiting before the start. */
async function throughput(variant: Variant): Promise<number> {
  const site = await Site.open(variant, [CONFIRM_MS, CONFIRM_MS]);
  const channels = Array.from({ length: CHANNELS }, (_none, at) => topicChannel(`room${at}`));
  await site.send(channels, EVENTS, null);
  const start = performance.now();
  await site.publish(EVENTS);
  const seconds = (performance.now() - start) / 1_000;
  await site.close();
  return EVENTS / seconds;
}

/** Ages of the events of quiet channels, in milliseconds, beside a flood in another. */
async function quietAges(variant: Variant, flood: number, confirmMs: readonly number[]): Promise<number[]> {
  const site = await Site.open(variant, confirmMs);
  const quiet = Array.from({ length: QUIET }, (_none, at) => topicChannel(`quiet${at}`));
  if (flood > 0) await site.send([topicChannel('flood')], flood, null);
  const published = site.publish(flood + QUIET * QUIET_ROUNDS);
  for (let round = 0; round < QUIET_ROUNDS; round += 1) {
    await site.send(quiet, QUIET, systemClock.now().getTime());
    await wait(QUIET_MS);
  }
  await published;
  await site.close();
  return site.ages;
}

async function measure(): Promise<void> {
  const variants: readonly Variant[] = ['shards', 'one lock'];
  const rates = new Map<Variant, number[]>(variants.map((variant) => [variant, []]));
  const beside = new Map<Variant, number[]>(variants.map((variant) => [variant, []]));
  const late = new Map<Variant, number[]>(variants.map((variant) => [variant, []]));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const variant of variants) {
      rates.get(variant)?.push(await throughput(variant));
      beside.get(variant)?.push(...await quietAges(variant, FLOOD, [CONFIRM_MS, CONFIRM_MS]));
      late.get(variant)?.push(...await quietAges(variant, 0, [CONFIRM_MS, LATE_CONFIRM_MS]));
    }
  }
  const rate = (variant: Variant): number => median(rates.get(variant) ?? []);
  const p99 = (ages: ReadonlyMap<Variant, number[]>, variant: Variant): number =>
    quantile(ages.get(variant) ?? [], 0.99);
  console.table(variants.map((variant) => ({
    '': variant,
    'events a second': Math.round(rate(variant)),
    'to one lock': ratio(rate(variant), rate('one lock')),
    'p99 age beside a flood, ms': Math.round(p99(beside, variant)),
    'one lock to it': ratio(p99(beside, 'one lock'), p99(beside, variant)),
    'p99 age, one bus late, ms': Math.round(p99(late, variant)),
    'one lock to that': ratio(p99(late, 'one lock'), p99(late, variant)),
  })));
}

const programs = findPrograms();
if (programs) {
  const cluster = await startCluster(programs, { durable: true });
  process.env['TEST_DATABASE_URL'] = cluster.url;
  try {
    await measure();
  } finally {
    await cluster.stop();
  }
} else console.log('PostgreSQL is not installed (apt-get install postgresql): nothing is measured');
