import { hlsIndex, hlsPlaylist, hlsSegment } from '#product/broadcast/contract/hls.ts';
import { whep, whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { spiedShow, stopsSpying } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getReceipts } from './contract/private-running.ts';
import { getSpyReceipts, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Free seconds of a show, or of spying on it, that one person may get (decision 38). */
const FORGIVEN = 10;

/** A viewer whose players never report, and who counts the seconds they were sent. */
class Churner {
  readonly #who: Member;
  readonly #performer: Member;
  #session: string | null = null;
  seen = 0;

  constructor(who: Member, performer: Member) {
    this.#who = who;
    this.#performer = performer;
  }

  /** Replaces the previous player with a new one; false if it is refused. */
  async opens(): Promise<boolean> {
    await this.closes();
    const { stream, token } = await playbackOf(this.#who, this.#performer);
    const played = await plays(this.#who, stream, token);
    if (played.status !== 201) return false;
    this.#session = played.session;
    site.engine.setReports(played.session, false);
    return true;
  }

  /** Closes the player in the middle of a second of which it received a part. */
  async closes(): Promise<void> {
    if (this.#session === null) return;
    site.engine.sendsNow(this.#session);
    await media(this.#who, whepEnd, { session: this.#session });
    this.#session = null;
  }

  /**
   * Leaves in the middle of a partly received second without closing anything: the site cuts the player off.
   */
  vanishes(): void {
    if (this.#session !== null && site.engine.sendsNow(this.#session)) this.seen += 1;
    this.#session = null;
  }

  /** Lets a second pass, which is seen unless the relay sends nothing. */
  async second(): Promise<void> {
    if (this.#session !== null && site.engine.sendsNow(this.#session)) this.seen += 1;
    await mediaPasses(site, this.#performer, 1);
  }
}

/** Lets this many seconds pass, opening a new player every `every` seconds. */
async function churns(churner: Churner, seconds: number, every: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    if (second % every === 0) await churner.opens();
    await churner.second();
  }
}

/**
 * Watches the small rendition from second two on, then either rendition in turns of three seconds, each with
 * a new player. Returns the seconds that were seen.
 */
async function changesSizes(who: Member, performer: Member, seconds: number): Promise<number> {
  const { stream: show, token: first } = await playbackOf(who, performer);
  await media(who, hlsIndex, { stream: show, token: first, multitrack: '1' });
  await mediaPasses(site, performer, 2);
  let session: string | null = null;
  for (let second = 0; second < seconds; second += 3) {
    if (session !== null) await media(who, whepEnd, { session });
    const { stream, token } = await playbackOf(who, performer);
    const track = second % 2 === 0 ? 'sd' : 'hd';
    const played = await media(who, whep, { stream, body: TEST_OFFER, track }, { bearer: token });
    expect(played.status).toBe(201);
    ({ session } = played);
    await mediaPasses(site, performer, 3);
  }
  expect(site.engine.streams.filter((name) => name.startsWith(`${show}~`))).toHaveLength(1);
  return seconds;
}

/** All renditions in which a show is served over HLS. */
const SIZES = ['source', '360', '240'];

/** How somebody fetches a show in bursts. */
interface Bursts {
  readonly seconds: number;
  /** Seconds between two bursts. */
  readonly every: number;
  /** Renditions fetched in each burst, in turn: with two of them every segment is fetched twice. */
  readonly sizes?: readonly (readonly string[])[];
  /** An additional WHEP player: its first second, and the first second without it. */
  readonly player?: { readonly from: number; readonly until: number } | null;
}

/**
 * Fetches the latest segments once every `every` seconds. Returns how many distinct seconds it got. Segments
 * are two seconds long and cover the same moments in every rendition.
 */
async function fetchesInBursts(
  who: Member,
  performer: Member,
  { seconds, every, sizes = [['source']], player = null }: Bursts,
): Promise<number> {
  const got = new Set<number>();
  const startOf = new Map<string, number>();
  let session: string | null = null;
  const { stream: show } = await playbackOf(who, performer);
  for (let second = 1; second <= seconds; second += 1) {
    const { stream, token } = await playbackOf(who, performer);
    if (stream !== show) break;
    const fromPlaylist = async (rendition: string) =>
      (await media(who, hlsPlaylist, { stream, rendition, token })).body;
    if (second === 1) { for (const rendition of SIZES) await fromPlaylist(rendition); }
    if (second % 2 === 0) {
      for (const name of site.outputs.segmented.filter((text) => text.startsWith(stream))) {
        const { name: file, startsAt } = site.outputs.produce(name);
        startOf.set(file, startsAt);
      }
    }
    const burst = second % every === 0 ? sizes[(second / every - 1) % sizes.length] ?? [] : [];
    for (const rendition of burst) {
      for (const [file] of (await fromPlaylist(rendition)).matchAll(/\d+\.m4s/gu)) {
        const answer = await media(who, hlsSegment, { stream, rendition, token, file });
        // The first segment was made when the playlist was requested, two seconds before the second segment.
        const startsAt = startOf.get(file) ?? (startOf.get('1.m4s') ?? 0) - 2_000;
        if (answer.status === 200) { for (const at of [startsAt, startsAt + 1_000]) got.add(at); }
      }
    }
    if (second === player?.from) ({ session } = await plays(who, stream, token));
    if (second === player?.until && session !== null) {
      await media(who, whepEnd, { session });
      session = null;
    }
    if (session !== null) got.add(site.clock.now().getTime() - 1_000);
    await mediaPasses(site, performer, 1);
  }
  return got.size;
}

describe('a private show', () => {
  for (const exclusive of [false, true]) {
    it(
      `${exclusive ? 'that is exclusive ' : ''}is paid by who opens player after player and reports nothing`,
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
      },
    );
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
    const sizesOfBursts = fc.array(fc.subarray(SIZES, { minLength: 1 }), { minLength: 2, maxLength: 5 });
    const players = fc.option(fc.record({
      from: fc.integer({ min: 1, max: 20 }),
      until: fc.integer({ min: 21, max: 44 }),
    }));
    const ways = [everySeconds, fc.boolean(), sizesOfBursts, players] as const;
    await fc.assert(
      fc.asyncProperty(...ways, async (every, exclusive, sizes, player) => {
        const performer = await privatePerformer(site, { isExclusiveEnabled: true });
        const viewer = await site.viewer({ tokens: 1_000 });
        await startsPrivate(viewer, performer, { exclusive });
        const seen = await fetchesInBursts(viewer, performer, { seconds: 44, every, sizes, player });
        const { seconds } = await endsPrivate(viewer, performer);
        expect([every, sizes, player, seconds]).toEqual([every, sizes, player, seen]);
        expect(seen).toBeGreaterThanOrEqual(10);
      }),
      {
        numRuns: 3,
        seed: 28,
        examples: [
          [18, false, [['360'], ['240']], null],
          [9, true, [['source', '240'], ['360'], ['240']], { from: 12, until: 21 }],
        ],
      },
    );
  });

  it('is paid whole by who changes between its sizes every three seconds', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 1_000 });
    await startsPrivate(viewer, performer);
    const seen = await changesSizes(viewer, performer, 45);
    expect((await endsPrivate(viewer, performer)).seconds).toBe(seen);
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
      // Media sent into the broken connection counts as sent, but no report comes of it.
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
    // The day's free preview comes on top of what is forgiven.
    expect(churner.seen - paid).toBeLessThanOrEqual(FORGIVEN + 10);
  });

  it('is paid by who goes from one show to another and back, forty times, and ends nothing', async () => {
    const shows = [await spiedShow(site), await spiedShow(site)];
    const spy = await site.viewer({ tokens: 1_000 });
    const churners = shows.map(({ performer }) => ({ performer, churner: new Churner(spy, performer) }));
    for (let turn = 0; turn < 40; turn += 1) {
      const [here, there] = turn % 2 === 0 ? churners : churners.toReversed();
      there?.churner.vanishes();
      await spy.call(startSpying, { username: here?.performer.username ?? '' });
      await site.settle();
      expect(await here?.churner.opens()).toBe(true);
      for (let second = 0; second < 3; second += 1) await here?.churner.second();
    }
    for (const { performer } of shows) await stopsSpying(spy, performer).catch(() => undefined);
    const { receipts } = await spy.call(getSpyReceipts, {});
    const paid = receipts.reduce((sum, { seconds }) => sum + seconds, 0);
    const seen = churners.reduce((sum, { churner }) => sum + churner.seen, 0);
    expect(seen).toBeGreaterThan(100);
    // For each show ten seconds are forgiven, and another ten are the day's free preview.
    expect(seen - paid).toBeLessThanOrEqual(2 * (10 + 10));
  });

  it('is paid by who ends forty short turns while their player still runs', async () => {
    const { performer } = await spiedShow(site);
    const spy = await site.viewer({ tokens: 1_000 });
    const churner = new Churner(spy, performer);
    for (let turn = 0; turn < 40; turn += 1) {
      await spy.call(startSpying, { username: performer.username });
      await site.settle();
      expect(await churner.opens()).toBe(true);
      await churner.second();
      churner.vanishes();
      await stopsSpying(spy, performer);
      await site.settle();
      // At most twenty players a minute are admitted.
      await mediaPasses(site, performer, 2);
    }
    const { receipts } = await spy.call(getSpyReceipts, {});
    const paid = receipts.reduce((sum, { seconds }) => sum + seconds, 0);
    expect(churner.seen).toBe(80);
    expect(churner.seen - paid).toBeLessThanOrEqual(FORGIVEN + 10);
  });

  it('is paid to the token by who leaves it before a token is full, whatever it costs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 6, maxLength: 10 }),
        async (price, turns) => {
          const { performer } = await spiedShow(site, { spy: { pricePerMinuteInToken: price } });
          const spy = await site.viewer({ tokens: 1_000 });
          let came = 0;
          // The day's preview comes first.
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
      ),
      { numRuns: 3, seed: 28, examples: [[10, [5, 5, 5, 5, 5, 5]]] },
    );
  });

  it('is paid whole, but for the preview, by who changes between its sizes every three seconds', async () => {
    const { performer } = await spiedShow(site);
    const spy = await site.viewer({ tokens: 1_000 });
    await spy.call(startSpying, { username: performer.username });
    await site.settle();
    const seen = await changesSizes(spy, performer, 45);
    await stopsSpying(spy, performer);
    const [receipt] = (await spy.call(getSpyReceipts, {})).receipts;
    expect(receipt?.seconds).toBe(seen - 10);
  });

  it('over HLS is paid whole, but for the preview', async () => {
    const { performer } = await spiedShow(site);
    const spy = await site.viewer({ tokens: 1_000 });
    await spy.call(startSpying, { username: performer.username });
    await site.settle();
    const seen = await fetchesInBursts(spy, performer, {
      seconds: 40,
      every: 9,
      sizes: [['360'], ['source', '240'], ['240']],
    });
    await stopsSpying(spy, performer);
    const [receipt] = (await spy.call(getSpyReceipts, {})).receipts;
    expect(receipt?.seconds).toBe(seen - 10);
  });
});

for (const { tokens, every } of [{ tokens: 30, every: 11 }, { tokens: 33, every: 17 }]) {
  it(`that used its ${tokens} tokens up has fetched no more than ten seconds beyond them`, async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens });
    await startsPrivate(viewer, performer);
    const seen = await fetchesInBursts(viewer, performer, { seconds: 130, every });
    const [receipt] = (await viewer.call(getReceipts, {})).receipts;
    // A token pays for two seconds.
    expect(receipt).toMatchObject({ tokens, seconds: tokens * 2, reason_ended: 'out_of_tokens' });
    expect(seen).toBeGreaterThanOrEqual(tokens * 2);
    expect(seen - tokens * 2).toBeLessThanOrEqual(FORGIVEN);
  });
}

it('over HLS gives ten seconds of a burst after seventeen, and more as time passes', async () => {
  const performer = await privatePerformer(site);
  const viewer = await site.viewer({ tokens: 100 });
  await startsPrivate(viewer, performer);
  const { stream, token } = await playbackOf(viewer, performer);
  const playlist = () => media(viewer, hlsPlaylist, { stream, rendition: 'source', token });
  await playlist();
  for (let second = 1; second <= 17; second += 1) {
    if (second % 2 === 0) site.outputs.produce(stream);
    await mediaPasses(site, performer, 1);
  }
  const files = [...(await playlist()).body.matchAll(/\d+\.m4s/gu)].map(([file]) => file);
  const fetches = (file: string) => media(viewer, hlsSegment, { stream, rendition: 'source', token, file });
  const answers = [];
  for (const file of files) answers.push(await fetches(file));
  expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    ...Array.from({ length: 5 }, () => [200, undefined]),
    ...Array.from({ length: 3 }, () => [429, '1']),
  ]);
  await mediaPasses(site, performer, 2);
  expect((await fetches(files[5] ?? '')).status).toBe(200);
  expect((await fetches(files[6] ?? '')).status).toBe(429);
});

it('logs no errors', () => expect(site.log).toEqual([]));
