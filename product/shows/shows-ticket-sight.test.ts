import { VirtualClock } from '#platform/data/clock.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { suspendPerson } from '#product/accounts/contract/life/people.ts';
import { whep } from '#product/broadcast/contract/webrtc.ts';
import { declareAge, saveBlockedRegions } from '#product/compliance/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf } from '#product/testkit/media/media-client.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endTicketShow, getTickets } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const PASSWORD = 'correct horse battery';
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'tokens' | 'earnings' | 'held'): Promise<number> =>
  inBook(site, member, book);

describe('a ticket goes back to whoever could not watch', () => {
  /** A performer's video is away for a while, and comes back. */
  async function loses(performer: Member, ms: number): Promise<void> {
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    site.engine.drop(stream ?? '', 'silent');
    await site.settle();
    await site.passes(ms);
    await performer.goesLive();
  }

  /** A show of five minutes with two holders: one watches from abroad, one from the demo's region. */
  async function withTwo({ at = site, region = 'BR', minutes = 5 } = {}) {
    const performer = await ticketPerformer(at);
    const holders = [
      await at.viewer({ tokens: 200, region }),
      await at.viewer({ tokens: 200 }),
    ] as const;
    await holders[0].call(declareAge, { of_age: true });
    await offersTickets(performer, { minutes });
    await sellsTickets(performer, ...holders);
    await startsTicketShow(performer);
    const blocks = async (...regions: readonly string[]): Promise<void> => {
      await performer.call(saveBlockedRegions, { regions: [...regions] });
      await at.settle();
    };
    const ends = async (): Promise<(string | undefined)[]> => {
      await performer.call(endTicketShow, {});
      await at.settle();
      return Promise.all(
        holders.map(async (holder) => (await holder.call(getTickets, {})).tickets[0]?.state),
      );
    };
    return { performer, holders, blocks, ends };
  }

  it('because the performer blocks their region after the start, until the end or for a minute', async () => {
    const whole = await withTwo();
    await whole.blocks('BR');
    await site.passes(310_000);
    expect(await whole.ends()).toEqual(['returned', 'paid']);
    expect([await tokensOf(whole.holders[0]), await bookOf(whole.holders[0], 'held')]).toEqual([200, 0]);
    const between = await withTwo();
    await site.passes(100_000);
    await between.blocks('BR');
    await site.passes(60_000);
    await between.blocks();
    await site.passes(150_000);
    expect(await between.ends()).toEqual(['returned', 'paid']);
  });

  it('also piece by piece, and never by what is short, or after what was agreed', async () => {
    const pieces = await withTwo();
    for (let piece = 0; piece < 4; piece += 1) {
      await pieces.blocks('BR');
      await site.passes(9_000);
      await pieces.blocks();
      await site.passes(70_000);
    }
    expect(await pieces.ends()).toEqual(['returned', 'paid']);
    const short = await withTwo();
    await short.blocks('BR');
    await site.passes(30_000);
    await short.blocks();
    await site.passes(280_000);
    await short.blocks('BR');
    await site.passes(100_000);
    expect(await short.ends()).toEqual(['paid', 'paid']);
  });

  it('because the picture goes again and again, each time for less than ends the show', async () => {
    const { performer, ends } = await withTwo();
    for (let time = 0; time < 12; time += 1) {
      await loses(performer, 25_000);
      await site.passes(1_000);
    }
    expect(await ends()).toEqual(['returned', 'returned']);
    expect(await bookOf(performer, 'earnings')).toBe(0);
  });

  it('by both together, and not by thirty seconds in all, or by five per cent of a long show', async () => {
    const both = await withTwo();
    await loses(both.performer, 20_000);
    await both.blocks('BR');
    await site.passes(20_000);
    await both.blocks();
    await site.passes(270_000);
    expect(await both.ends()).toEqual(['returned', 'paid']);
    const atOnce = await withTwo();
    await atOnce.blocks('BR');
    await loses(atOnce.performer, 20_000);
    await atOnce.blocks();
    await loses(atOnce.performer, 10_000);
    await site.passes(280_000);
    expect(await atOnce.ends()).toEqual(['paid', 'paid']);
    // 120 s of 40 minutes are forgiven, and 144 s are not.
    for (const [absences, state] of [[5, 'paid'], [6, 'returned']] as const) {
      const long = await withTwo({ minutes: 40 });
      for (let time = 0; time < absences; time += 1) await loses(long.performer, 24_000);
      await site.passes(40 * 60_000);
      expect(await long.ends()).toEqual([state, state]);
    }
  });

  it('not because it went before they bought, or after what was agreed', async () => {
    const { performer, ends } = await withTwo();
    await loses(performer, 25_000);
    await loses(performer, 25_000);
    const late = await site.viewer({ tokens: 200 });
    await sellsTickets(performer, late);
    await site.passes(260_000);
    for (let time = 0; time < 3; time += 1) await loses(performer, 25_000);
    expect(await ends()).toEqual(['returned', 'returned']);
    expect((await late.call(getTickets, {})).tickets[0]?.state).toBe('paid');
  });

  it('from where they came last, not from where they bought it', async () => {
    const { performer, holders: [, holder], blocks, ends } = await withTwo();
    const { stream, token } = await playbackOf(holder, performer);
    const headers = { 'x-candela-test-region': 'BR' };
    // They go abroad, where they have to declare their age again.
    const declared = { method: 'POST', url: '/api/v1/entry', payload: { of_age: true }, headers } as const;
    expect((await holder.request(declared)).statusCode).toBe(200);
    const watches = { bearer: token, region: 'BR' };
    expect((await media(holder, whep, { stream, body: TEST_OFFER }, watches)).status).toBe(201);
    await site.settle();
    await blocks('BR');
    await site.passes(310_000);
    expect(await ends()).toEqual(['returned', 'returned']);
  });

  it('because the site suspended them, and not because they are deleting their account', async () => {
    const admin = await site.admin();
    const { performer, holders } = await withTwo();
    await site.passes(200_000);
    const { username } = holders[0];
    await admin.call(suspendPerson, { username, suspended: true, reason: 'ticket 7' });
    await holders[1].call(requestDeletion, { username: holders[1].username, password: PASSWORD });
    await site.passes(50_000);
    await site.passes(60_000);
    await performer.call(endTicketShow, {});
    await site.settle();
    expect([await bookOf(holders[0], 'tokens'), await bookOf(holders[0], 'held')]).toEqual([200, 0]);
    expect(await bookOf(holders[1], 'held')).toBe(0);
    expect(await bookOf(performer, 'earnings')).toBeGreaterThan(0);
  });

  it('because a rule that starts at midnight asks for a proof of age', async () => {
    // Missouri, six hours behind, requires a proof of age from 30 November 2025 on.
    const before = await createSite({ clock: new VirtualClock(new Date('2025-11-30T05:57:00Z')) });
    onTestFinished(() => before.close());
    const { ends } = await withTwo({ at: before, region: 'US-MO' });
    await before.passes(200_000);
    await before.passes(110_000);
    expect(await ends()).toEqual(['returned', 'paid']);
  });
});

it('a camera password shuts out nobody who has a ticket of the show, and everybody else', async () => {
  const performer = await ticketPerformer(site);
  const holder = await site.viewer({ tokens: 200 });
  await offersTickets(performer, { minutes: 5 });
  await sellsTickets(performer, holder);
  const { username } = performer;
  await performer.call(saveRoomSettings, { username, camPassword: 'open sesame' });
  await startsTicketShow(performer);
  await site.settle();
  const statusOf = async (who: Member) => (await who.call(getRoom, { username })).streamStatus;
  expect([await statusOf(holder), await statusOf(await site.viewer())])
    .toEqual(['online', 'password_required']);
  await performer.call(saveRoomSettings, { username, camPassword: 'open again' });
  await site.settle();
  // They have the video itself, not just its status.
  expect((await playbackOf(holder, performer)).stream).toEqual(expect.any(String));
  await site.passes(310_000);
  await performer.call(endTicketShow, {});
  await site.settle();
  expect((await holder.call(getTickets, {})).tickets[0]?.state).toBe('paid');
  // The show is over: like everybody else they need the password for the public room.
  expect(await statusOf(holder)).toBe('password_required');
});

it('a ban of somebody else at their address shuts out nobody who has a ticket of the show', async () => {
  const performer = await ticketPerformer(site);
  const { username } = performer;
  const at = { address: '203.0.113.25', region: 'demo' };
  const comes = async (options: { readonly tokens?: number } = {}): Promise<Member> => {
    const viewer = await site.viewer({ ...options, ...at });
    await viewer.call(declareAge, { of_age: true });
    return viewer;
  };
  const [holder, other] = [await comes({ tokens: 200 }), await comes()];
  await other.call(getRoom, { username });
  await offersTickets(performer, { minutes: 5 });
  await sellsTickets(performer, holder);
  await startsTicketShow(performer);
  await performer.moderates('ban', other);
  await site.settle();
  const stranger = await comes();
  for (const shutOut of [other, stranger]) {
    await expect(shutOut.call(getRoom, { username })).rejects.toMatchObject({
      problem: { errorType: 'room_banned' },
    });
  }
  expect((await holder.call(getRoom, { username })).streamStatus).toBe('online');
  expect((await playbackOf(holder, performer)).stream).toEqual(expect.any(String));
  await site.passes(310_000);
  await performer.call(endTicketShow, {});
  await site.settle();
  expect((await holder.call(getTickets, {})).tickets[0]?.state).toBe('paid');
  // After the show the ban applies as usual.
  await expect(holder.call(getRoom, { username })).rejects.toMatchObject({
    problem: { errorType: 'room_banned' },
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
