import { event, topicChannel, type Channel } from '#platform/contract/event.ts';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryBus } from '../bus.ts';
import { systemClock } from '../clock.ts';
import type { Bus, BusMessage } from '../data.ts';
import type { Driver } from '../drivers/driver.ts';
import { dataOn, type OpenedData } from '../open.ts';
import { openRedisBus } from '../redis/redis-bus.ts';
import { startRedis, whyNoRedis } from '../redis/testing.ts';
import { openTestDriver } from '../testing.ts';

const scope = { operatorId: 1 };
const silent = { warn: () => undefined, error: () => undefined };
const numbered = event({
  name: 'v3.test.numbered',
  socket: 'room',
  from: 'server',
  description: 'A number.',
  shape: z.object({ n: z.int() }),
});
const hasServer = process.env['TEST_DATABASE_URL'] !== undefined;
const noRedis = whyNoRedis();
/** Publishing in parallel mostly takes milliseconds; on a busy machine it takes seconds. */
const WAIT = { timeout: 30_000, interval: 5 };

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function openDriver(): Promise<Driver> {
  const driver = await openTestDriver({ clock: systemClock, slices: [] });
  stops.push(driver.close);
  return driver;
}

/** A process of the site: several of them use one database. */
async function publisher(driver: Driver, bus: Bus): Promise<OpenedData> {
  const data = dataOn({ ...driver, close: async () => {} }, {
    clock: systemClock,
    bus,
    log: silent,
    development: true,
  });
  await data.attach({ subscriptions: [], deadlineHandlers: [] });
  stops.push(data.close);
  return data;
}

/** A memory bus that counts as one of several processes, so that publishers share the shards. */
const sharedBus = (): Bus => ({ ...memoryBus(silent), isShared: true });

const channels = (count: number): Channel[] =>
  Array.from({ length: count }, (_none, at) => topicChannel(`room${at}`));

/** Sends numbers to a channel, in order, a few per unit of work. */
async function sendTo(data: OpenedData, channel: Channel, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 3) {
    await data.tx(scope, async (tx) => {
      for (let one = n; one < n + 3 && one <= to; one += 1) {
        await tx.send(channel, numbered, { n: one }, one);
      }
    });
  }
}

/** The received sequence numbers of each channel, in order of arrival. */
const seqsOf = (messages: readonly BusMessage[], channel: Channel): (number | undefined)[] =>
  messages.filter((message) => message.channel === channel).map(({ seq }) => seq);
const upTo = (count: number): number[] => Array.from({ length: count }, (_none, at) => at + 1);

/** Several processes send to every channel in turn and publish in between. */
async function sendFromAll(publishers: readonly OpenedData[], names: readonly Channel[]): Promise<void> {
  for (const data of publishers) data.start();
  await Promise.all(names.map(async (channel, at) => {
    for (let round = 0; round < 4; round += 1) {
      const data = publishers[(at + round) % publishers.length] as OpenedData;
      await sendTo(data, channel, round * 5 + 1, round * 5 + 5);
    }
  }));
}

it('publishers side by side keep the order of each channel and publish each event once', async () => {
  const driver = await openDriver();
  const bus = sharedBus();
  const published: BusMessage[] = [];
  bus.subscribe((message) => published.push(message));
  // The bus takes a while to confirm; other publishers look meanwhile.
  const slow: Bus = {
    ...bus,
    publishAll: async (messages) => {
      for (const message of messages) {
        bus.publish(message);
        await new Promise<void>((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
  const publishers = [];
  for (let at = 0; at < 3; at += 1) publishers.push(await publisher(driver, slow));
  const names = channels(8);
  await sendFromAll(publishers, names);
  await expect.poll(() => published.length, WAIT).toBe(8 * 20);
  for (const name of names) expect(seqsOf(published, name)).toEqual(upTo(20));
});

it('what the bus did not take is published again, whole and in order', async () => {
  const driver = await openDriver();
  const bus = sharedBus();
  const published: BusMessage[] = [];
  bus.subscribe((message) => published.push(message));
  let calls = 0;
  const failing: Bus = {
    ...bus,
    publishAll: async (messages) => {
      calls += 1;
      if (calls % 3 !== 0) return bus.publishAll(messages);
      await bus.publishAll(messages.slice(0, messages.length / 2));
      throw new Error('lost');
    },
  };
  const data = await publisher(driver, failing);
  const names = channels(6);
  await Promise.all(names.map((name) => sendTo(data, name, 1, 30)));
  const isDone = (): boolean => names.every((name) => seqsOf(published, name).includes(30));
  for (let tries = 0; tries < 50 && !isDone(); tries += 1) await data.settle().catch(() => undefined);
  for (const name of names) {
    let last = 0;
    for (const seq of seqsOf(published, name) as number[]) {
      expect(seq).toBeLessThanOrEqual(last + 1);
      last = Math.max(last, seq);
    }
    expect(last).toBe(30);
  }
});

it('a flood in one channel hardly delays the others', async () => {
  const driver = await openDriver();
  const bus = sharedBus();
  const published: BusMessage[] = [];
  bus.subscribe((message) => published.push(message));
  const data = await publisher(driver, bus);
  const quiet = channels(16);
  await data.tx(scope, async (tx) => {
    for (let n = 1; n <= 3_000; n += 1) await tx.send(topicChannel('flood'), numbered, { n }, n);
  });
  for (const channel of quiet) await data.tx(scope, (tx) => tx.send(channel, numbered, { n: 1 }, 1));
  await data.settle();
  const places = quiet.map((name) => published.findIndex(({ channel }) => channel === name));
  // Channels that share its shard wait for it.
  expect(places.filter((place) => place < 300).length).toBeGreaterThanOrEqual(12);
  expect(seqsOf(published, topicChannel('flood'))).toEqual(upTo(3_000));
});

it.runIf(hasServer)('a shard that another process publishes is left to it, the others go on', async () => {
  const driver = await openDriver();
  const bus = sharedBus();
  const published: BusMessage[] = [];
  bus.subscribe((message) => published.push(message));
  const data = await publisher(driver, bus);
  const [one, two] = [topicChannel('room0'), topicChannel('room1')];
  const other = await driver.pool.connect();
  stops.push(() => other.release());
  await other.query('begin');
  await other.query(`select pg_advisory_xact_lock(7203415, hashtext('${one}') & 15)`);
  for (const channel of [one, two]) await data.tx(scope, (tx) => tx.send(channel, numbered, { n: 1 }, 1));
  await data.settle();
  expect(published.map(({ channel }) => channel)).toEqual([two]);
  await other.query('commit');
  await data.settle();
  expect(published.map(({ channel }) => channel)).toEqual([two, one]);
  // An older version holds one lock for all shards.
  await other.query('begin');
  await other.query('select pg_advisory_xact_lock(7203412)');
  await data.tx(scope, (tx) => tx.send(two, numbered, { n: 2 }, 2));
  await data.settle();
  expect(published).toHaveLength(2);
  await other.query('commit');
  await data.settle();
  expect(seqsOf(published, two)).toEqual([1, 2]);
});

it.skipIf(noRedis !== null)('publishers over Redis keep the order of each channel everywhere', async () => {
  const driver = await openDriver();
  const redis = await startRedis();
  stops.push(redis.stop);
  const buses = [];
  for (let at = 0; at < 3; at += 1) {
    const bus = await openRedisBus({ url: redis.url, clock: systemClock, log: silent });
    stops.push(bus.close);
    buses.push(bus);
  }
  const received = buses.map((bus) => {
    const messages: BusMessage[] = [];
    bus.subscribe((message) => messages.push(message));
    return messages;
  });
  const publishers = [await publisher(driver, buses[0] as Bus), await publisher(driver, buses[1] as Bus)];
  const names = channels(8);
  await sendFromAll(publishers, names);
  await expect.poll(() => received.map(({ length }) => length), WAIT).toEqual([160, 160, 160]);
  for (const messages of received) {
    for (const name of names) expect(seqsOf(messages, name)).toEqual(upTo(20));
  }
});
