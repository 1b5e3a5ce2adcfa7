import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { fact } from '#platform/contract/fact.ts';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { VirtualClock } from '../clock.ts';
import type { Driver } from '../drivers/driver.ts';
import { dataOn, type OpenedData } from '../open.ts';
import { openTestDriver } from '../testing.ts';

const scope = { operatorId: 1 };
const counted = fact({ name: 'delivery.counted', shape: z.object({ n: z.int() }), description: 'A number.' });
const REMIND = 'delivery.remind';

/** A signal between a test and its handlers: either side can wait for the other. */
class Signal {
  resolve = (): void => {};
  readonly promise = new Promise<void>((resolve) => {
    this.resolve = resolve;
  });
}

/** Several workers of one site, on one database. */
class Workers {
  readonly events: string[] = [];
  readonly logged: string[] = [];
  readonly #driver: Driver;
  readonly #opened: OpenedData[] = [];

  /** The number of connections taken so far. */
  taken = 0;

  constructor(driver: Driver) {
    this.#driver = driver;
    driver.pool.on('acquire', () => {
      this.taken += 1;
    });
  }

  static async open(): Promise<Workers> {
    return new Workers(await openTestDriver({ clock: new VirtualClock(), slices: [] }));
  }

  async add(
    clock: VirtualClock,
    subscriptions: readonly Subscription[],
    deadlineHandlers: readonly DeadlineHandler[] = [],
  ): Promise<OpenedData> {
    const note = (_fields: unknown, text: string): void => void this.logged.push(text);
    const data = dataOn({ ...this.#driver, close: async () => {} }, {
      clock,
      development: true,
      log: { warn: note, error: note },
    });
    await data.attach({ subscriptions, deadlineHandlers });
    this.#opened.push(data);
    return data;
  }

  query(sql: string, values: readonly unknown[] = []): Promise<unknown> {
    return this.#driver.pool.query(sql, [...values]);
  }

  async close(): Promise<void> {
    for (const data of this.#opened) await data.close();
    await this.#driver.close();
  }
}

let workers: Workers;
afterEach(() => workers.close());

const publish = (data: OpenedData, key: string, ...numbers: number[]): Promise<void> =>
  data.tx(scope, async (tx) => {
    for (const n of numbers) await tx.publish(counted, key, { n });
  });

/** Waits until so many events have happened. */
async function happened(count: number): Promise<void> {
  await expect.poll(() => workers.events.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
}

/** Resolves when a delivery has nothing to do, or when its handlers have begun something. */
async function looked(data: OpenedData, events: readonly string[]): Promise<void> {
  const before = events.length;
  let isOver = false;
  void data.settle().finally(() => {
    isOver = true;
  });
  await expect.poll(() => isOver || events.length > before, { interval: 2 }).toBe(true);
}

it('slow handlers keep their key: in order, each fact once, though another worker looks', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const slow = (name: string): Subscription =>
    subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => {
      events.push(`${name} begins ${n}`);
      await new Promise<void>((resolve) => {
        clock.after('work', 20_000, resolve);
      });
      events.push(`${name} ends ${n}`);
    });
  const [a, b] = [await workers.add(clock, [slow('a')]), await workers.add(clock, [slow('b')])];
  const ofB = (): string[] => events.filter((event) => event.startsWith('b'));
  await publish(a, 'k', 1, 2, 3, 4, 5, 6);
  const settled = a.settle();
  for (let n = 1; n <= 6; n += 1) {
    await happened(2 * n - 1);
    await looked(b, events);
    expect(ofB()).toEqual([]);
    clock.advance(20_000);
    await looked(b, events);
    expect(ofB()).toEqual([]);
  }
  await settled;
  expect(events).toEqual([1, 2, 3, 4, 5, 6].flatMap((n) => [`a begins ${n}`, `a ends ${n}`]));
});

it('a worker that has lost its lease stops before the next fact', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const [clockOfA, clockOfB] = [new VirtualClock(), new VirtualClock()];
  const gate = new Signal();
  const stalled = subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => {
    events.push(`a ${n}`);
    await gate.promise;
  });
  const quick = subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => void events.push(`b ${n}`));
  const [a, b] = [await workers.add(clockOfA, [stalled]), await workers.add(clockOfB, [quick])];
  await publish(a, 'k', 1, 2, 3);
  const settled = a.settle();
  await happened(1);
  // A machine that froze: for the others its lease has expired.
  clockOfB.advance(46_000);
  await b.settle();
  clockOfA.advance(20_000);
  gate.resolve();
  await settled;
  expect(events).toEqual(['a 1', 'b 1', 'b 2', 'b 3']);
  expect(workers.logged).toEqual(['facts were taken over by another process']);
});

it('a fact that commits late waits for those of its key that are under way', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const of = (name: string): Subscription =>
    subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => {
      events.push(`${name} ${n}`);
      if (n === 1) await gate.promise;
    });
  const [a, b] = [await workers.add(clock, [of('a')]), await workers.add(clock, [of('b')])];
  await publish(a, 'k', 1, 2);
  const settled = a.settle();
  await happened(1);
  await workers.query(
    `insert into platform.outbox (id, operator_id, consumer, name, key, payload, at, ready_at)
     overriding system value values (0, 1, 'delivery.slow', $1, 'k', '{"n": 0}', $2, $2)`,
    [counted.name, clock.now()],
  );
  await b.settle();
  expect(events).toEqual(['a 1']);
  gate.resolve();
  await settled;
  await b.settle();
  expect(events.toSorted()).toEqual(['a 0', 'a 1', 'a 2']);
  expect(events.slice(0, 2)).toEqual(['a 1', 'a 2']);
});

it('a worker that closes ends its handlers and leaves the rest to the others at once', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const of = (name: string): [Subscription, DeadlineHandler] => [
    subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => {
      events.push(`${name} fact ${n}`);
      await gate.promise;
    }),
    {
      kind: REMIND,
      handle: async ({ key }) => {
        events.push(`${name} deadline ${key}`);
        await gate.promise;
      },
    },
  ];
  const add = async (name: string): Promise<OpenedData> => {
    const [subscription, deadlineHandler] = of(name);
    return workers.add(clock, [subscription], [deadlineHandler]);
  };
  const [a, b] = [await add('a'), await add('b')];
  await publish(a, 'k', 1, 2, 3);
  await a.tx(scope, async (tx) => {
    for (let n = 10; n < 20; n += 1) await tx.schedule({ kind: REMIND, key: `${n}`, at: tx.now });
  });
  a.start();
  clock.advance(1_000);
  await happened(9);
  const closed = a.close();
  gate.resolve();
  await closed;
  const began = [...events].toSorted();
  expect(began).toEqual([
    ...Array.from({ length: 8 }, (_none, at) => `a deadline ${at + 10}`),
    'a fact 1',
  ]);
  await b.settle();
  expect(events.slice(9).toSorted()).toEqual(['b deadline 18', 'b deadline 19', 'b fact 2', 'b fact 3']);
});

it('a slow consumer holds up neither other keys nor other consumers nor socket events', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const data = await workers.add(clock, [
    subscribe(counted, 'delivery.slow')(async ({ payload: { n } }) => {
      await gate.promise;
      events.push(`slow ${n}`);
    }),
    subscribe(counted, 'delivery.quick')(async ({ payload: { n } }) => void events.push(`quick ${n}`)),
  ]);
  for (let n = 0; n < 40; n += 1) await publish(data, `k${n}`, n);
  data.start();
  await happened(40);
  expect(events.filter((event) => event.startsWith('slow'))).toEqual([]);
  gate.resolve();
  await happened(80);
});

it('slow deadlines are held while they wait: each is handled once, though another worker looks', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const of = (name: string): DeadlineHandler => ({
    kind: REMIND,
    handle: async ({ key }) => {
      events.push(`${name} ${key}`);
      await new Promise<void>((resolve) => {
        clock.after('work', 20_000, resolve);
      });
    },
  });
  const [a, b] = [await workers.add(clock, [], [of('a')]), await workers.add(clock, [], [of('b')])];
  const keys = Array.from({ length: 40 }, (_none, at) => `${at + 10}`);
  await a.tx(scope, async (tx) => {
    for (const [nth, key] of keys.entries()) {
      await tx.schedule({ kind: REMIND, key, at: new Date(tx.now.getTime() - 1_000 + nth) });
    }
  });
  const settled = a.settle();
  for (let wave = 1; wave <= 5; wave += 1) {
    await happened(8 * wave);
    await looked(b, events);
    expect(events.filter((event) => event.startsWith('b'))).toEqual([]);
    clock.advance(20_000);
  }
  await settled;
  expect(events).toEqual(keys.map((key) => `a ${key}`));
});

it('a deadline of a quick lane does not wait for thousands of a slow one', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const data = await workers.add(clock, [], [
    {
      kind: 'delivery.reUp',
      handle: async () => {
        await gate.promise;
        events.push('slow');
      },
    },
    {
      kind: 'delivery.meter',
      handle: async ({ operatorId, key }) => void events.push(`quick ${operatorId} ${key}`),
    },
  ]);
  await workers.query(
    `insert into platform.due (operator_id, kind, key, at, payload, ready_at)
     select 1 + n % 3, 'delivery.reUp', n::text, $1, 'null', $1 from generate_series(1, 2000) n`,
    [new Date(clock.now().getTime() - 60_000)],
  );
  for (const operatorId of [1, 2]) {
    await data.tx({ operatorId }, async (tx) => {
      for (let n = 0; n < 100; n += 1) {
        await tx.schedule({ kind: 'delivery.meter', key: `${n}`, at: tx.now });
      }
    });
  }
  data.start();
  clock.advance(1_000);
  await happened(200);
  expect(events.filter((event) => event === 'slow')).toEqual([]);
  gate.resolve();
  await happened(2_200);
  expect(events).toHaveLength(2_200);
});

it('deadlines run side by side within their limits: of a lane, of a kind, of all', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const kinds = ['delivery.one', 'delivery.two', 'delivery.three'];
  const data = await workers.add(
    clock,
    [],
    kinds.map((kind) => ({
      kind,
      handle: async ({ operatorId }) => {
        events.push(`${kind} ${operatorId}`);
        await gate.promise;
      },
    })),
  );
  const running = (start: string): number => events.filter((event) => event.startsWith(start)).length;
  await workers.query(
    `insert into platform.due (operator_id, kind, key, at, payload, ready_at)
     select operator_id, kind, n::text, $1, 'null', $1
     from generate_series(1, 20) n, generate_series(1, 3) operator_id, unnest($2::text[]) kind`,
    [clock.now(), kinds],
  );
  const settled = data.settle();
  await happened(32);
  await data.tx(scope, async () => {});
  expect(events).toHaveLength(32);
  for (const kind of kinds) expect(running(kind)).toBeLessThanOrEqual(16);
  for (const kind of kinds) {
    for (const operatorId of [1, 2, 3]) expect(running(`${kind} ${operatorId}`)).toBeGreaterThanOrEqual(3);
  }
  gate.resolve();
  await settled;
  expect(events).toHaveLength(180);
});

it('a deadline that is scheduled again while its handler runs comes after it, in any worker', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const gate = new Signal();
  const of = (name: string): DeadlineHandler => ({
    kind: REMIND,
    handle: async ({ payload }) => {
      events.push(`${name} begins ${String(payload)}`);
      if (payload === 'first') await gate.promise;
      events.push(`${name} ends ${String(payload)}`);
    },
  });
  const [a, b] = [await workers.add(clock, [], [of('a')]), await workers.add(clock, [], [of('b')])];
  const schedule = (payload: string): Promise<void> =>
    a.tx(scope, (tx) => tx.schedule({ kind: REMIND, key: 'k', at: tx.now, payload }));
  await schedule('first');
  const settled = a.settle();
  await happened(1);
  await schedule('second');
  await looked(b, events);
  expect(events).toEqual(['a begins first']);
  gate.resolve();
  await settled;
  expect(events).toEqual(['a begins first', 'a ends first', 'a begins second', 'a ends second']);
});

it.each(['by its handler', 'meanwhile'])(
  'a deadline that is scheduled unless one waits comes again where one is handled: %s',
  async (by) => {
    workers = await Workers.open();
    const { events } = workers;
    const clock = new VirtualClock();
    const gate = new Signal();
    const schedule = (payload: string): Promise<void> =>
      data.tx(scope, (tx) =>
        tx.schedule({
          kind: REMIND,
          key: 'k',
          at: new Date(tx.now.getTime() + 60_000),
          payload,
          keepExisting: true,
        }));
    const data: OpenedData = await workers.add(clock, [], [{
      kind: REMIND,
      handle: async ({ payload }) => {
        events.push(String(payload));
        if (payload !== 'first') return;
        if (by === 'by its handler') await schedule('second');
        else await gate.promise;
      },
    }]);
    await schedule('first');
    await schedule('in vain');
    clock.advance(60_000);
    const settled = data.settle();
    await happened(1);
    if (by === 'meanwhile') await schedule('second');
    gate.resolve();
    await settled;
    clock.advance(59_000);
    await data.settle();
    expect(events).toEqual(['first']);
    // The waiting deadline is left as it is, now that none is being handled.
    await schedule('in vain');
    clock.advance(1_000);
    await data.settle();
    expect(events).toEqual(['first', 'second']);
    clock.advance(120_000);
    await data.settle();
    expect(events).toEqual(['first', 'second']);
  },
);

it('a failing deadline is retried with back-off and then parked; others of its lane go on', async () => {
  workers = await Workers.open();
  const { events } = workers;
  const clock = new VirtualClock();
  const start = clock.now().getTime();
  const data = await workers.add(clock, [], [{
    kind: REMIND,
    handle: async ({ key }) => {
      events.push(`${key} ${(clock.now().getTime() - start) / 1_000}`);
      if (key === 'bad') throw new Error('no');
    },
  }]);
  await data.tx(scope, async (tx) => {
    await tx.schedule({ kind: REMIND, key: 'bad', at: tx.now });
    await tx.schedule({ kind: REMIND, key: 'good', at: tx.now });
  });
  for (let second = 0; second <= 200; second += 1) {
    await data.settle();
    clock.advance(1_000);
  }
  const bad = [0, 1, 3, 7, 15, 31, 63, 127].map((second) => `bad ${second}`);
  expect(events).toEqual([bad[0], 'good 0', ...bad.slice(1)]);
  expect(workers.logged.filter((line) => line.includes('parked'))).toHaveLength(1);
});

// On a server other processes may have written, so the database is asked each time.
const isPglite = process.env['TEST_DATABASE_URL'] === undefined;
it.runIf(isPglite)('settling asks nothing where nobody wrote and no time passed since', async () => {
  workers = await Workers.open();
  const clock = new VirtualClock();
  const handles = subscribe(counted, 'delivery.any')(async ({ payload: { n } }) =>
    void workers.events.push(`fact ${n}`)
  );
  const reminds: DeadlineHandler = { kind: REMIND, handle: async () => void workers.events.push('deadline') };
  const data = await workers.add(clock, [handles], [reminds]);
  await publish(data, 'k', 1);
  const inTime = { kind: REMIND, key: 'k', at: new Date(clock.now().getTime() + 1_000), payload: null };
  await data.tx(scope, (tx) => tx.schedule(inTime));
  await data.settle();
  expect(workers.events).toEqual(['fact 1']);
  const before = workers.taken;
  await data.settle();
  expect(workers.taken).toBe(before);
  clock.advance(1_000);
  await data.settle();
  expect(workers.events).toEqual(['fact 1', 'deadline']);
  await workers.query(
    `insert into platform.due (operator_id, kind, key, at, payload, ready_at)
    values (1, $1, 'by hand', $2, 'null', $2)`,
    [REMIND, clock.now()],
  );
  await data.settle();
  await publish(data, 'k', 2);
  await data.settle();
  expect(workers.events).toEqual(['fact 1', 'deadline', 'deadline', 'fact 2']);
});
