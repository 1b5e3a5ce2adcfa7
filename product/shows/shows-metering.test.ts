import type { AnyEvent } from '#platform/contract/event.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import type { Data } from '#platform/data/data.ts';
import { openTestData } from '#platform/data/testing.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { order } from '#product/order.ts';
import { endsPrivate, mediaPasses, runsPrivate } from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  runsSharecam,
  sharecamPerformer,
  startsSharecam,
} from '#product/testkit/shows/sharecam.ts';
import { spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateEnded } from './contract.ts';
import { endPrivate, getReceipts, notInShow, privateTick } from './contract/private-running.ts';
import { acceptPrivate, checkPrivate, requestPrivate } from './contract/private-show.ts';
import { acceptSharecam, cam2camEnded, cam2camStarted, endSharecam } from './contract/sharecam.ts';
import { spyEnded, spyStarted, startSpying } from './contract/spying.ts';

/** When the unit of work that sends an event breaks: it is rolled back, or was committed all the same. */
type Break = 'before the commit' | 'after the commit';

class UnitBroke extends Error {
  override readonly name = 'UnitBroke';
}

let site: TestSite;
/** Lines of the log that a test has seen. */
let seen = 0;
let breaks: { readonly event: AnyEvent; readonly at: Break } | null = null;

/** Units of work of a real database, of which the next one that sends an event can break. */
const breaking = (tx: Data['tx']): Data['tx'] => async (scope, fn) => {
  let broken: Break | null = null;
  const result = await tx(scope, async (unit) => {
    const send = unit.send.bind(unit);
    const noting: typeof unit.send = (channel, event, ...rest) => {
      if (event.name === breaks?.event.name) {
        broken = breaks.at;
        breaks = null;
      }
      return send(channel, event, ...rest);
    };
    Object.defineProperty(unit, 'send', { value: noting });
    const done = await fn(unit);
    if (broken === 'before the commit') throw new UnitBroke();
    return done;
  });
  if (broken === 'after the commit') throw new UnitBroke();
  return result;
};

beforeAll(async () => {
  const clock = new VirtualClock();
  const opened = await openTestData({ clock, slices: order.map(([slice]) => slice) });
  site = await createSite({ clock, data: { ...opened, tx: breaking(opened.tx) } });
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
/** The errors that were logged since the last call. */
const logged = (): readonly unknown[] => {
  const lines = site.log.slice(seen);
  seen = site.log.length;
  return lines.map((line) => (JSON.parse(line) as { readonly error: unknown }).error);
};

/** How many streams of cameras can be opened. */
async function freeStreams(): Promise<number> {
  const { open, close } = site.services.broadcast.cameras;
  const camera = { viewerId: 1, performerId: 2, onClosed: () => undefined };
  const opened: string[] = [];
  for (let next = open(site.scope, camera); next !== null; next = open(site.scope, camera)) opened.push(next);
  for (const stream of opened) await close(stream);
  return opened.length;
}

describe('what is started in a unit of work that is rolled back', () => {
  it('of a spy is metered no longer, and can be started again', async () => {
    const { performer } = await spiedShow(site);
    const { username } = performer;
    const spy = await site.viewer({ tokens: 100 });
    breaks = { event: spyStarted, at: 'before the commit' };
    await expect(spy.call(startSpying, { username })).rejects.toThrow();
    expect(logged()).toEqual(['UnitBroke']);
    // A meter without a row would end after 30 s, and fail.
    await mediaPasses(site, performer, 35);
    expect(logged()).toEqual([]);
    await spy.call(startSpying, { username });
    expect(await stopsSpying(spy, performer)).toMatchObject({ seconds: 0, tokens: 0 });
  });

  it('of a camera closes its stream', async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const free = await freeStreams();
    breaks = { event: cam2camStarted, at: 'before the commit' };
    await expect(startsSharecam(viewer, performer)).rejects.toThrow();
    expect(logged()).toEqual(['UnitBroke']);
    expect(await freeStreams()).toBe(free);
    await performer.call(acceptSharecam, { username: viewer.username });
    expect(await freeStreams()).toBe(free - 1);
    await viewer.call(endSharecam, { username: performer.username });
    expect(await freeStreams()).toBe(free);
  });
});

describe('an end whose unit of work breaks', () => {
  it('before the commit is tried again, and charges what was captured', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 500 });
    await mediaPasses(site, performer, 25);
    breaks = { event: privateEnded, at: 'before the commit' };
    expect(await endsPrivate(viewer, performer))
      .toMatchObject({ reason_ended: 'user_ended', seconds: 20, tokens: 10, released: 20 });
    expect(logged()).toEqual(['UnitBroke']);
    expect([await tokensOf(viewer), await bookOf(site, viewer, 'held')]).toEqual([490, 0]);
    expect(await bookOf(site, performer, 'earnings')).toBe(10);
  });

  it('before the commit is tried again of spies and cameras, too', async () => {
    const { performer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 25);
    breaks = { event: spyEnded, at: 'before the commit' };
    expect(await stopsSpying(spy, performer)).toMatchObject({ seconds: 10, tokens: 2, preview_seconds: 10 });
    const camera = await runsSharecam(site, { tokens: 100 });
    await cameraPasses(site, camera.stream, 25);
    breaks = { event: cam2camEnded, at: 'before the commit' };
    await camera.viewer.call(endSharecam, { username: camera.performer.username });
    expect(await tokensOf(camera.viewer)).toBe(90);
    expect(await bookOf(site, camera.viewer, 'held')).toBe(0);
    expect(logged()).toEqual(['UnitBroke', 'UnitBroke']);
  });

  it('after the commit is not tried again: the room is public, and nothing is metered', async () => {
    const { viewer, performer } = await runsPrivate(site, { tokens: 500 });
    const room = await viewer.joins(performer);
    const { username } = performer;
    await mediaPasses(site, performer, 25);
    breaks = { event: privateEnded, at: 'after the commit' };
    await expect(viewer.call(endPrivate, { username })).rejects.toMatchObject({
      problem: { errorType: notInShow.code },
    });
    expect(logged()).toEqual(['UnitBroke']);
    const [receipt] = (await viewer.call(getReceipts, {})).receipts;
    expect(receipt).toMatchObject({ reason_ended: 'user_ended', seconds: 25, tokens: 12, released: 18 });
    expect([await tokensOf(viewer), await bookOf(site, viewer, 'held')]).toEqual([488, 0]);
    const ticks = room.received(privateTick).length;
    expect(ticks).toBeGreaterThan(0);
    await site.passes(5_000);
    expect(room.received(privateTick)).toHaveLength(ticks);
    // Another show can begin: the performer is in public again.
    expect(await viewer.call(checkPrivate, { username })).toMatchObject({ bar: null, running: null });
    await viewer.call(requestPrivate, { username, price: 30 });
    await performer.call(acceptPrivate, { username: viewer.username });
    expect(await endsPrivate(viewer, performer)).toMatchObject({ seconds: 0, tokens: 0 });
  });

  it('leaves a ledger without faults', async () => expect(await faultsOf(site)).toEqual([]));
});
