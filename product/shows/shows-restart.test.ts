import { VirtualClock } from '#platform/data/clock.ts';
import type { Driver } from '#platform/data/drivers/driver.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { dataOn } from '#platform/data/open.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { order } from '#product/order.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { endsPrivate, mediaPasses, runsPrivate, watches } from '#product/testkit/shows/private-show.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { watchableShow } from '#product/testkit/shows/watching.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { getReceipts } from './contract/private-running.ts';
import { checkPrivate, getPrivateRequests } from './contract/private-show.ts';
import { stopWatching, watchTogether } from './contract/private-watching.ts';
import { endTicketShow, getTickets } from './contract/ticket-show.ts';

const clock = new VirtualClock();
let driver: Driver;
/** The process before the restart, and the process after it, on one database. */
let before: TestSite;
let site: TestSite;
beforeAll(async () => {
  driver = await openTestDriver({ clock, slices: order.map(([slice]) => slice) });
  before = await restarted();
});
afterAll(async () => {
  await site.close();
  await driver.close();
});

/** Starts a process on the database, which outlives it. */
function restarted(): Promise<TestSite> {
  const { warn } = console;
  const opened = dataOn({ ...driver, close: async () => undefined }, {
    clock,
    development: true,
    log: { warn, error: warn },
  });
  return createSite({ clock, data: opened });
}
/** Makes the viewer a legend of the performer's fan club, for 100 tokens. */
async function joinsClub(viewer: Member, performer: Member): Promise<void> {
  await performer.call(saveOwnClub, {
    enabled: true,
    description: '',
    prices: { supporter: 80, insider: 90, legend: 100 },
    perks: { supporter: [], insider: [], legend: [] },
  });
  const { username } = performer;
  await viewer.call(joinFanclub, { username, level: 'legend', price: 100 }, { idempotencyKey: uuidV4() });
}
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

describe('a restart in the middle of shows', () => {
  const LONG = { timeout: 120_000 };
  it('goes on where both come back, and ends the others with an exact refund', LONG, async () => {
    const { id: video, ...member } = await watchableShow(before, { tokens: 500 });
    const shows = [member];
    for (let at = 0; at < 2; at += 1) shows.push(await runsPrivate(before, { tokens: 500 }));
    await joinsClub(member.viewer, member.performer);
    for (let second = 0; second < 25; second += 1) {
      for (const { performer } of shows) {
        const { stream } = await before.tx((tx) => before.services.broadcast.viewOf(tx, performer.id));
        before.engine.measure(stream ?? '');
      }
      await before.passes(1_000);
    }
    const held: number[] = [];
    for (const { viewer } of shows) held.push(await bookOf(before, viewer, 'held'));
    await member.performer.call(watchTogether, { id: video });
    // A legend's refund stays set aside until the minute is over.
    expect(held).toEqual([22, 20, 20]);
    await before.close();
    site = await restarted();
    const again: { readonly viewer: Member; readonly performer: Member }[] = [];
    for (const { viewer, performer } of shows) {
      again.push({
        viewer: await site.memberOf(viewer.username),
        performer: await site.memberOf(performer.username),
      });
    }
    const [both, alone, gone] = again;
    if (!both || !alone || !gone) throw new Error('three shows ran');
    await site.passes(5_000);
    // The video followed the clock, whoever was away.
    const watched = async () =>
      (await both.viewer.call(checkPrivate, { username: both.performer.username })).running?.watch_together;
    expect(await watched()).toMatchObject({ id: video, position_ms: 5_000, is_playing: true });
    await both.performer.goesLive();
    await alone.performer.goesLive();
    await watches(both.viewer, both.performer);
    await mediaPasses(site, both.performer, 20);
    // Twenty seconds were captured; the five after them were lost with the process and are not charged.
    expect((await both.viewer.call(checkPrivate, { username: both.performer.username })).running)
      .toMatchObject({ phase: 'running', privateStreamTimeInSecond: 40, privateTokenCount: 20 });
    await both.performer.call(watchTogether, { id: video, is_playing: false });
    expect(await watched()).toMatchObject({ position_ms: 25_000, is_playing: false });
    await both.performer.call(stopWatching, {});
    expect(await watched()).toBeNull();
    for (let second = 0; second < 12; second += 1) await mediaPasses(site, alone.performer, 1);
    const receipts = [];
    for (const { viewer } of [alone, gone]) {
      const [receipt] = (await viewer.call(getReceipts, {})).receipts;
      receipts.push([receipt?.reason_ended, receipt?.seconds, receipt?.tokens, receipt?.released]);
      expect([await tokensOf(viewer), await bookOf(site, viewer, 'held')]).toEqual([490, 0]);
    }
    expect(receipts).toEqual([['user_left', 20, 10, 20], ['unpublish', 20, 10, 20]]);
    expect((await gone.performer.call(getPrivateRequests, {})).running).toBeNull();
    expect(await endsPrivate(both.viewer, both.performer))
      .toMatchObject({ seconds: 40, tokens: 20, fanclub_refund: 5 });
    expect(await tokensOf(both.viewer)).toBe(500 - 100 - 15);
    for (const { performer } of [both, alone, gone]) {
      expect(await bookOf(site, performer, 'earnings')).toBe(performer === both.performer ? 80 + 15 : 10);
    }
    expect(await faultsOf(site)).toEqual([]);
    expect([before.log, site.log]).toEqual([[], []]);
  });

  it('forgets neither where a ticket was watched, nor that there was no capacity', LONG, async () => {
    const first = await restarted();
    const old = await ticketPerformer(first, { username: 'ticketseller' });
    const holders = [
      await first.viewer({ tokens: 200, username: 'watches' }),
      await first.viewer({ tokens: 200, username: 'waits' }),
      await first.viewer({ tokens: 200, username: 'asksabroad' }),
    ];
    await offersTickets(old, { minutes: 5 });
    await sellsTickets(old, ...holders);
    await startsTicketShow(old);
    const starts = async (holder: Member, performer: Member): Promise<() => Promise<unknown>> => {
      const { stream, token } = await playbackOf(holder, performer);
      const { session, status } = await plays(holder, stream, token);
      expect(status).toBe(201);
      await holder.site.settle();
      return () => media(holder, whepEnd, { session }, { bearer: token });
    };
    const shut = {
      url: `/api/v1/video/playback/${old.username}`,
      headers: { 'x-candela-test-region': 'US-TX' },
    };
    // There was no video before the restart.
    expect((await holders[2]?.request(shut))?.statusCode).toBe(404);
    const ends = await Promise.all(holders.slice(0, 2).map((holder) => starts(holder, old)));
    await first.passes(100_000);
    await ends[1]?.();
    const { stream, token } = await playbackOf(holders[1] as Member, old);
    first.engine.refuseWith('overloaded');
    first.outputs.on = false;
    expect((await plays(holders[1] as Member, stream, token)).status).toBe(429);
    await first.settle();
    await first.close();
    const again = await restarted();
    onTestFinished(() => again.close());
    const performer = await again.memberOf(old.username);
    await performer.goesLive();
    await again.settle();
    const back = await Promise.all(holders.map(({ username }) => again.memberOf(username)));
    const [watches, waits, asksAbroad] = back;
    if (!watches || !waits || !asksAbroad) throw new Error('three hold a ticket');
    for (const holder of back) expect((await holder.request(shut)).statusCode).toBe(404);
    await again.settle();
    await again.passes(60_000);
    await starts(watches, performer);
    await starts(asksAbroad, performer);
    await again.passes(150_000);
    await performer.call(endTicketShow, {});
    await again.settle();
    const states = [];
    for (const holder of back) states.push((await holder.call(getTickets, {})).tickets[0]?.state);
    expect(states).toEqual(['paid', 'returned', 'paid']);
  });
});
