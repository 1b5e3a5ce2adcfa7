import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hlsPlaylist, hlsSegment, whepEnd } from '../broadcast/contract.ts';
import { getBalance } from '../ledger/contract.ts';
import { media, playbackOf, plays } from '../testkit/media/media-client.ts';
import { endsPrivate, mediaPasses, privatePerformer, startsPrivate, watches } from
  '../testkit/shows/private-show.ts';
import { spiedShow, stopsSpying } from '../testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { getReceipts } from './contract/private-show.ts';
import { getSpyReceipts, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Seconds of a show, or of its spying, that one person may have for nothing (decision 38). */
const FORGIVEN = 10;

/** Somebody whose players never report, and who counts what they were sent. */
class Churner {
  readonly #who: Member;
  readonly #performer: Member;
  #session: string | null = null;
  seen = 0;

  constructor(who: Member, performer: Member) {
    this.#who = who;
    this.#performer = performer;
  }

  /** A new player in place of the one before; false when it is refused. */
  async opens(): Promise<boolean> {
    await this.closes();
    const { stream, token } = await playbackOf(this.#who, this.#performer);
    const played = await plays(this.#who, stream, token);
    if (played.status !== 201) return false;
    this.#session = played.session;
    site.engine.setReports(played.session, false);
    return true;
  }

  /** The player goes, in the middle of a second of which it had some. */
  async closes(): Promise<void> {
    if (this.#session === null) return;
    site.engine.sendsNow(this.#session);
    await media(this.#who, whepEnd, { session: this.#session });
    this.#session = null;
  }

  /** A second passes, and is seen unless the relay sends nothing. */
  async second(): Promise<void> {
    if (this.#session !== null && site.engine.sendsNow(this.#session)) this.seen += 1;
    await mediaPasses(site, this.#performer, 1);
  }
}

/** So many seconds, with a new player every so often. */
async function churns(churner: Churner, seconds: number, every: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    if (second % every === 0) await churner.opens();
    await churner.second();
  }
}

/**
 * Fetches whatever the last segments are, once every so many seconds; the seconds of those that it got. The
 * picture comes in segments of two seconds.
 */
async function fetchesInBursts(
  who: Member, performer: Member, { seconds, every }: { readonly seconds: number; readonly every: number },
): Promise<number> {
  const got = new Set<string>();
  const { stream: show } = await playbackOf(who, performer);
  for (let second = 1; second <= seconds; second += 1) {
    const { stream, token } = await playbackOf(who, performer);
    if (stream !== show) break;
    const input = { stream, rendition: 'source', token };
    const { body } = await media(who, hlsPlaylist, input);
    if (second % 2 === 0) site.outputs.produce(stream);
    for (const [file] of second % every === 0 ? body.matchAll(/\d+\.m4s/gu) : []) {
      if ((await media(who, hlsSegment, { ...input, file })).status === 200) got.add(file);
    }
    await mediaPasses(site, performer, 1);
  }
  return got.size * 2;
}

describe('a private show', () => {
  for (const exclusive of [false, true]) {
    it(`${exclusive ? 'that is exclusive ' : ''}is paid by who opens player after player and reports nothing`,
      async () => {
        const performer = await privatePerformer(site, { isExclusiveEnabled: true });
        const viewer = await site.viewer({ tokens: 1_000 });
        await startsPrivate(viewer, performer, { exclusive });
        const churner = new Churner(viewer, performer);
        await churns(churner, 60, exclusive ? 2 : 3);
        await churner.closes();
        const { seconds } = await endsPrivate(viewer, performer);
        expect(churner.seen).toBeGreaterThan(35);
        expect(churner.seen - seconds).toBeLessThanOrEqual(FORGIVEN);
        expect(seconds).toBeLessThanOrEqual(61);
      });
  }

  it('opens no more than twenty players a minute, and more later', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 1_000 });
    await startsPrivate(viewer, performer);
    const { stream, token } = await playbackOf(viewer, performer);
    const statuses = [];
    for (let nth = 0; nth < 22; nth += 1) statuses.push((await plays(viewer, stream, token)).status);
    expect(statuses.slice(18)).toEqual([201, 201, 429, 429]);
    await site.passes(61_000);
    const later = await playbackOf(viewer, performer);
    expect((await plays(viewer, later.stream, later.token)).status).toBe(201);
  });

  it('over HLS is paid whole, exclusive or not, however its segments are fetched', async () => {
    const everySeconds = fc.integer({ min: 1, max: 18 });
    await fc.assert(fc.asyncProperty(everySeconds, fc.boolean(), async (every, exclusive) => {
      const performer = await privatePerformer(site, { isExclusiveEnabled: true });
      const viewer = await site.viewer({ tokens: 1_000 });
      await startsPrivate(viewer, performer, { exclusive });
      const seen = await fetchesInBursts(viewer, performer, { seconds: 44, every });
      const { seconds } = await endsPrivate(viewer, performer);
      expect([every, seconds]).toEqual([every, seen]);
      expect(seen).toBeGreaterThanOrEqual(10);
    }), { numRuns: 3, seed: 28, examples: [[18, false], [18, true]] });
  });

  it('is paid by whose players vanish within a second, without a word', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 1_000 });
    await startsPrivate(viewer, performer);
    for (let second = 0; second < 20; second += 1) {
      const session = await watches(viewer, performer);
      site.engine.sendsNow(session);
      site.engine.cutSilent(session);
      await mediaPasses(site, performer, 1);
    }
    expect((await endsPrivate(viewer, performer)).seconds).toBe(20 - FORGIVEN);
  });

  it('is not paid beyond what came by who lost the network and comes back', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 1_000 });
    await startsPrivate(viewer, performer);
    let came = 0;
    for (const cut of [3, 7, 14]) {
      const session = await watches(viewer, performer);
      await mediaPasses(site, performer, 9);
      came += 9;
      // What is sent into the cut was sent: no report comes of it.
      site.engine.setReports(session, false);
      await mediaPasses(site, performer, cut);
      await media(viewer, whepEnd, { session });
    }
    expect((await endsPrivate(viewer, performer)).seconds).toBe(came);
  });
});

describe('spying', () => {
  it('is paid by who leaves it and comes back, without reports and between two looks', async () => {
    const { performer } = await spiedShow(site);
    const spy = await site.viewer({ tokens: 1_000 });
    const { username } = performer;
    const churner = new Churner(spy, performer);
    for (let round = 0; round < 14; round += 1) {
      await spy.call(startSpying, { username });
      await site.settle();
      await churns(churner, 3, 3);
      await churner.closes();
      await stopsSpying(spy, performer);
    }
    const { receipts } = await spy.call(getSpyReceipts, {});
    const paid = receipts.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(churner.seen).toBeGreaterThan(35);
    // The free preview of the day is beside what is forgiven.
    expect(churner.seen - paid).toBeLessThanOrEqual(FORGIVEN + 10);
  });

  it('is paid to the token by who leaves it before a token is full, whatever it costs', async () => {
    await fc.assert(fc.asyncProperty(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 10 }),
      async (price, turns) => {
        const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: price } });
        const spy = await site.viewer({ tokens: 1_000 });
        let came = 0;
        // The preview of the day comes first.
        for (const seconds of [10, ...turns]) {
          await spy.call(startSpying, { username: performer.username });
          await site.settle();
          await watches(spy, performer);
          await mediaPasses(site, performer, seconds);
          await stopsSpying(spy, performer);
          came += seconds;
        }
        const { receipts } = await spy.call(getSpyReceipts, {});
        const sum = (of: (receipt: (typeof receipts)[number]) => number): number =>
          receipts.reduce((total, receipt) => total + of(receipt), 0);
        expect(sum(({ seconds }) => seconds)).toBe(came - 10);
        expect([price, sum(({ tokens }) => tokens)]).toEqual([price, Math.floor(price * (came - 10) / 60)]);
        expect((await spy.call(getBalance, {})).tokens).toBe(1_000 - sum(({ tokens }) => tokens));
      },
    ), { numRuns: 3, seed: 28, examples: [[10, [5, 5, 5, 5, 5, 5]]] });
  });

  it('over HLS is paid whole, but for the preview', async () => {
    const { performer } = await spiedShow(site);
    const spy = await site.viewer({ tokens: 1_000 });
    await spy.call(startSpying, { username: performer.username });
    await site.settle();
    const seen = await fetchesInBursts(spy, performer, { seconds: 40, every: 9 });
    await stopsSpying(spy, performer);
    const [receipt] = (await spy.call(getSpyReceipts, {})).receipts;
    expect(receipt?.seconds).toBe(seen - 10);
  });
});

it('that used its tokens up has fetched no more than ten seconds beyond them', async () => {
  const performer = await privatePerformer(site);
  const viewer = await site.viewer({ tokens: 30 });
  await startsPrivate(viewer, performer);
  const seen = await fetchesInBursts(viewer, performer, { seconds: 100, every: 11 });
  const [receipt] = (await viewer.call(getReceipts, {})).receipts;
  expect(receipt).toMatchObject({ tokens: 30, seconds: 60, reason_ended: 'out_of_tokens' });
  expect(seen).toBeGreaterThanOrEqual(60);
  expect(seen - 60).toBeLessThanOrEqual(FORGIVEN);
});

it('logs no errors', () => expect(site.log).toEqual([]));
