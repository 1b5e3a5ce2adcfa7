import { event, topicChannel } from '#platform/contract/event.ts';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Attendance, Attendee, Venue } from '../attendance.ts';
import { systemClock, VirtualClock } from '../clock.ts';
import type { BusMessage } from '../data.ts';
import { openTestData } from '../testing.ts';
import { RedisUnreachable } from './connection.ts';
import { openRedisAttendance } from './redis-attendance.ts';
import { openRedisBus, type RedisBus } from './redis-bus.ts';
import { freePort, startRedis, whyNoRedis, type TestRedis } from './testing.ts';

const missing = whyNoRedis();
const VENUE: Venue = { operatorId: 1, topic: 'open' };
const messageOf = (seq: number, topic = 'open'): BusMessage => ({
  operatorId: 1,
  channel: topicChannel(topic),
  name: 'v3.test.said',
  payload: { text: `${seq}` },
  seq,
});
const somebody = (identity: string, more: Partial<Attendee> = {}): Attendee => ({
  identity,
  personId: null,
  isCounted: true,
  about: {},
  ...more,
});

/** A busy machine takes seconds for what usually takes milliseconds. */
const WAIT = { timeout: 30_000, interval: 10 };

describe.skipIf(missing !== null)(`over Redis${missing === null ? '' : `: ${missing}`}`, () => {
  let redis: TestRedis;
  const stops: (() => Promise<void> | void)[] = [];
  const errors: string[] = [];
  const log = {
    warn: () => undefined,
    error: (fields: Readonly<Record<string, unknown>>, text: string) =>
      void errors.push(`${String(fields['purpose'])}: ${text}`),
  };

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    errors.length = 0;
    await redis.dies();
    await redis.returns();
  });

  async function busOf(): Promise<{ bus: RedisBus; received: BusMessage[] }> {
    const bus = await openRedisBus({ url: redis.url, clock: systemClock, log });
    stops.push(bus.close);
    const received: BusMessage[] = [];
    bus.subscribe((message) => void received.push(message));
    return { bus, received };
  }

  async function attendanceOf(clock = systemClock): Promise<Attendance & { close: () => Promise<void> }> {
    const attendance = await openRedisAttendance({ url: redis.url, clock, log });
    stops.push(attendance.close);
    return attendance;
  }

  it('every process receives every message, in the order of its publisher', async () => {
    const [one, two] = [await busOf(), await busOf()];
    const seqsOfAll = Array.from({ length: 2_000 }, (_none, at) => at + 1);
    await Promise.all([
      one.bus.publishAll(seqsOfAll.map((seq) => messageOf(seq))),
      two.bus.publishAll(seqsOfAll.map((seq) => messageOf(seq, 'other'))),
    ]);
    await expect.poll(() => [one.received.length, two.received.length], WAIT).toEqual([4_000, 4_000]);
    expect(one.received).toEqual(two.received);
    for (const topic of ['open', 'other']) {
      const ofTopic = two.received.filter(({ channel }) => channel === topicChannel(topic));
      const seqs = ofTopic.map(({ seq }) => seq);
      expect(seqs).toEqual(seqsOfAll);
    }
  });

  it('what is said here stays here', async () => {
    const [one, two] = [await busOf(), await busOf()];
    one.bus.publishHere(messageOf(1));
    expect(one.received).toEqual([messageOf(1)]);
    one.bus.publish(messageOf(2));
    await expect.poll(() => two.received, WAIT).toEqual([messageOf(2)]);
  });

  it('an outage is logged once, loses what passes, and ends by itself', async () => {
    const [one, two] = [await busOf(), await busOf()];
    let restored = 0;
    two.bus.restored(() => {
      restored += 1;
    });
    await redis.dies();
    await expect.poll(() => [one.bus.isUp(), two.bus.isUp()], WAIT).toEqual([false, false]);
    for (let seq = 1; seq <= 50; seq += 1) one.bus.publish(messageOf(seq));
    await expect(one.bus.publishAll([messageOf(50)])).rejects.toThrow('did not take');
    expect(one.bus.dropped().unsent).toBe(50);
    await redis.returns();
    await expect.poll(() => [one.bus.isUp(), restored], WAIT).toEqual([true, 1]);
    await one.bus.publishAll([messageOf(51)]);
    await expect.poll(() => two.received, WAIT).toEqual([messageOf(51)]);
    const lost = 'the connection to Redis was lost';
    expect(errors.toSorted()).toEqual([
      `publisher: ${lost}`,
      `publisher: ${lost}`,
      `subscriber: ${lost}`,
      `subscriber: ${lost}`,
    ]);
  });

  it('events of units of work wait in the outbox while Redis is away', async () => {
    const said = event({
      name: 'v3.test.said',
      socket: 'room',
      from: 'server',
      description: 'Said.',
      shape: z.object({ text: z.string() }),
    });
    const [one, two] = [await busOf(), await busOf()];
    const data = await openTestData({ clock: systemClock, slices: [], bus: one.bus, log });
    stops.push(data.close);
    await data.attach({ subscriptions: [], deadlineHandlers: [] });
    const send = (seq: number): Promise<void> =>
      data.tx({ operatorId: 1 }, (tx) => tx.send(topicChannel('open'), said, { text: `${seq}` }, seq));
    await send(1);
    await data.settle();
    await expect.poll(() => two.received, WAIT).toEqual([messageOf(1)]);
    await redis.dies();
    await expect.poll(() => one.bus.isUp(), WAIT).toBe(false);
    await send(2);
    await data.settle();
    await send(3);
    let isRestored = false;
    two.bus.restored(() => {
      isRestored = true;
    });
    await redis.returns();
    await expect.poll(() => one.bus.isUp() && isRestored, WAIT).toBe(true);
    await data.settle();
    await expect.poll(() => two.received, WAIT).toEqual([messageOf(1), messageOf(2), messageOf(3)]);
  });

  it('hostile messages are counted and dropped, and poke nothing', async () => {
    const { bus, received } = await busOf();
    const stranger = new Redis(redis.url);
    stops.push(() => stranger.disconnect());
    const good = messageOf(1);
    const hostile = [
      '',
      'null',
      '[]',
      '{',
      '"x"',
      `[${'['.repeat(50_000)}`,
      JSON.stringify({ ...good, channel: 'all' }),
      JSON.stringify({ ...good, operatorId: '1' }),
      JSON.stringify({ ...good, operatorId: 1.5 }),
      JSON.stringify({ ...good, seq: 0 }),
      JSON.stringify({ ...good, name: 'a b' }),
      JSON.stringify({ ...good, closes: true }),
      JSON.stringify({ ...good, channel: `topic:${'x'.repeat(600)}` }),
      JSON.stringify({ ...good, payload: 'x'.repeat(1024 * 1024) }),
    ];
    for (const text of hostile) await stranger.publish('candela:0:events', text);
    bus.publish(good);
    await expect.poll(() => received, WAIT).toEqual([good]);
    expect(bus.dropped().malformed).toBe(hostile.length);
  });

  it('a start without Redis says where it looked, and never a password', async () => {
    const url = `redis://me:hunter2@127.0.0.1:${await freePort()}`;
    const failed = await openRedisBus({ url, clock: systemClock, log }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RedisUnreachable);
    expect((failed as Error).message).toContain('127.0.0.1');
    expect((failed as Error).message).not.toContain('hunter2');
  });

  it('the same people are there in every process, each once', async () => {
    const [one, two] = [await attendanceOf(), await attendanceOf()];
    const changes: Venue[] = [];
    two.watch((venue) => void changes.push(venue));
    one.enter(VENUE, 'a', somebody('person:1', { personId: 1, about: { username: 'anna' } }));
    two.enter(VENUE, 'b', somebody('person:1', { personId: 1, about: { username: 'anna' } }));
    two.enter(VENUE, 'c', somebody('guest'));
    one.enter(VENUE, 'd', somebody('person:9', { isCounted: false }));
    one.enter({ operatorId: 2, topic: 'open' }, 'e', somebody('person:1'));
    const both = (): unknown[] =>
      [one, two].map((
        each,
      ) => [each.countOf(VENUE), each.attendees(VENUE).map(({ identity }) => identity).toSorted()]);
    const all = ['guest', 'person:1', 'person:9'];
    await expect.poll(both, WAIT).toEqual([[2, all], [2, all]]);
    expect(changes).toContainEqual({ operatorId: 2, topic: 'open' });
    one.leave(VENUE, 'a');
    one.leave(VENUE, 'd');
    await expect.poll(both, WAIT).toEqual([[2, ['guest', 'person:1']], [2, ['guest', 'person:1']]]);
    // A process that starts later gets all attendees.
    const three = await attendanceOf();
    await expect.poll(() => three.countOf(VENUE), WAIT).toBe(2);
    await two.close();
    await expect.poll(() => [one.countOf(VENUE), three.countOf(VENUE)], WAIT).toEqual([0, 0]);
  });

  it('a crowd stays whole through an outage and the loss of everything Redis knew', async () => {
    const clock = new VirtualClock();
    const [one, two] = [await attendanceOf(clock), await attendanceOf(clock)];
    for (let at = 0; at < 2_500; at += 1) one.enter(VENUE, `s${at}`, somebody(`person:${at}`));
    clock.advance(50);
    await expect.poll(() => two.countOf(VENUE), WAIT).toBe(2_500);
    await redis.dies();
    await expect.poll(() => errors.length, WAIT).toBe(4);
    one.leave(VENUE, 's0');
    two.enter(VENUE, 't', somebody('guest'));
    clock.advance(50);
    await redis.returns();
    const meet = (): number[] => {
      clock.advance(2_000);
      return [one.countOf(VENUE), two.countOf(VENUE)];
    };
    // Two seconds of their clocks must last as long as Redis needs, else each takes the other for dead.
    await expect.poll(meet, { ...WAIT, interval: 250 }).toEqual([2_500, 2_500]);
  });

  it('hostile news of people are dropped', async () => {
    const attendance = await attendanceOf();
    const stranger = new Redis(redis.url);
    stops.push(() => stranger.disconnect());
    const change = { venue: VENUE, identity: 'x', attendee: somebody('x') };
    for (const text of [
      '',
      '{',
      'null',
      JSON.stringify({ from: 'x', version: -1, changes: [] }),
      JSON.stringify({ from: 'x', version: 1, changes: [{ ...change, identity: '' }] }),
      JSON.stringify({ from: 'x', version: 1, changes: [change] }),
    ]) await stranger.publish('candela:0:attendance:news', text);
    attendance.enter(VENUE, 'a', somebody('guest'));
    const second = await attendanceOf();
    await expect.poll(() => second.countOf(VENUE), WAIT).toBe(1);
    expect(attendance.attendees(VENUE).map(({ identity }) => identity)).toEqual(['guest']);
  });
});
