import { uuidV4 } from '#platform/data/ids.ts';
import { getOwnBroadcast, makeBrowserKey } from '#product/broadcast/contract.ts';
import { hlsPlaylist, hlsSegment } from '#product/broadcast/contract/hls.ts';
import { whepEnd } from '#product/broadcast/contract/webrtc.ts';
import { hideMe } from '#product/compliance/contract.ts';
import { joinFanclub } from '#product/fanclubs/contract.ts';
import { getEarnings } from '#product/ledger/contract/earnings.ts';
import { follow, unfollow } from '#product/messaging/contract.ts';
import { startRecording } from '#product/recordings/contract.ts';
import { giveToGroupGoal, startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { setsClub } from '#product/testkit/fan-club.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, publishes } from '#product/testkit/media/media-client.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { offersTickets, sellsTickets } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** Asks for the end of the broadcast in the console. */
async function asksForEnd(page: Page): Promise<HTMLElement> {
  await page.press('End broadcast');
  return page.find('alertdialog', 'End this broadcast?');
}

/** The list of what else the end of the broadcast ends. */
async function alsoEnds(page: Page, question: HTMLElement): Promise<(string | null)[]> {
  const list = await page.find('list', 'Also ends', { in: question });
  return page.all('listitem', undefined, { in: list }).map(({ textContent }) => textContent);
}

/** Fetches a playlist and a segment, as a player does that has no WebRTC. */
async function playsOverHls(viewer: Member, performer: Member): Promise<void> {
  const of = { ...(await playbackOf(viewer, performer)), rendition: 'source' };
  expect((await media(viewer, hlsPlaylist, of)).status).toBe(200);
  expect((await media(viewer, hlsSegment, { ...of, file: '0.m4s' })).status).toBe(200);
}

const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;

describe('who asks for the end of a broadcast', () => {
  test('reads how many watch, and that nothing else ends where nothing runs', async () => {
    const performer = await site.performer({ live: true });
    const page = await openPage(site, performer, '/go-live');
    const unknown = await asksForEnd(page);
    await page.idle();
    expect([page.shows('Nobody is watching right now.'), page.shows('0 viewers')]).toEqual([false, false]);
    await page.press('Stay live', { in: unknown });
    site.engine.measure(site.engine.streams.at(-1)!);
    await page.sees('0 viewers');
    const empty = await asksForEnd(page);
    await page.sees('Nobody is watching right now.', { in: empty });
    await page.idle();
    expect(page.all('list', undefined, { in: empty })).toEqual([]);
    await page.press('Stay live', { in: empty });
    const viewer = await site.viewer();
    await playsOverHls(viewer, performer);
    site.engine.measure(site.engine.streams.at(-1)!);
    await page.sees('1 viewer');
    const one = await asksForEnd(page);
    await page.sees('1 viewer is watching. The room closes for them right away.', { in: one });
    await watches(await site.viewer(), performer);
    site.engine.measure(site.engine.streams.at(-1)!);
    await page.sees('2 viewers are watching. The room closes for them right away.', { in: one });
    expect(await page.problems()).toEqual([]);
    await page.press('Stay live', { in: one });
    await page.gone('alertdialog', 'End this broadcast?');
    expect(await stateOf(performer)).toBe('online');
  });

  test('reads of the private show that runs, by the name of its viewer', async () => {
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    const page = await openPage(site, performer, '/go-live');
    expect(await alsoEnds(page, await asksForEnd(page)))
      .toEqual([`Your private show with ${viewer.username}: the meter stops.`]);
  });

  test('reads of tickets sold for a show to come, of its holders once it runs, and of a goal', async () => {
    const performer = await site.performer({ live: true });
    const viewers = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    await offersTickets(performer, { message: 'Fire and feathers' });
    await sellsTickets(performer, ...viewers);
    const page = await openPage(site, performer, '/go-live');
    const before = await asksForEnd(page);
    expect(await alsoEnds(page, before)).toEqual([
      'The announced ticket show “Fire and feathers”: 2 tickets '
      + 'sold. If you aren’t live to start it, all tokens go back.',
    ]);
    await page.press('Stay live', { in: before });
    await page.press('Start show');
    await page.sees('The show is on: only ticket holders see you.');
    const during = await asksForEnd(page);
    await page.until(async () =>
      expect(await alsoEnds(page, during)).toEqual([
        'The ticket show “Fire and feathers”: 2 ticket holders. '
        + 'Before the agreed time, all their tokens go back.',
      ])
    );
    const other = await site.performer({ live: true });
    await other.call(startGroupGoal, { title: 'A song', tokens: 1_500, minutes: 20 });
    await viewers[0]!.call(giveToGroupGoal, { username: other.username, tokens: 40 }, {
      idempotencyKey: uuidV4(),
    });
    await site.settle();
    const second = await openPage(site, other, '/go-live');
    expect(await alsoEnds(second, await asksForEnd(second))).toEqual([
      'The group goal “A song” at 40 of '
      + '1,500 tokens: unless you come back soon, all tokens go back.',
    ]);
    expect(await stateOf(performer)).not.toBe('offline');
  });
});

/** Names and values of the figures of a summary. */
const figuresOf = (summary: HTMLElement): (string | null)[][] =>
  [...summary.querySelectorAll('dt')].map((
    name,
  ) => [name.textContent, name.nextElementSibling?.textContent ?? null]);
/** Kinds and their tokens as a screen reader reads them. */
const linesOf = (page: Page, list: HTMLElement): string[][] =>
  page.all('listitem', undefined, { in: list }).map((line) => [...line.children].map(textOf));

/** Tips of 135 tokens and a fan club of 80, at minute 2, or at 17, 32 or 47 in other time zones. */
const BEST = /^Best minute: \d{1,2}:[0134][27]\s[AP]M, with 215 tokens$/u;

describe('the summary of a broadcast', () => {
  test('has time, viewers, tokens by kind, new followers, best minute and recording', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const [first, second, third] = [
      await site.viewer({ tokens: 1_000 }),
      await site.viewer({ tokens: 1_000 }),
      await site.viewer(),
    ];
    await setsClub(performer, true);
    // Nothing before the broadcast counts towards it.
    await first.tips(performer, 500);
    await third.call(follow, { username });
    await site.passes(60_000);
    await performer.goesLive();
    await site.passes(5_000);
    const stream = site.engine.streams.at(-1)!;
    const page = await openPage(site, performer, '/go-live');
    await page.find('heading', 'Performer console');
    await performer.call(startRecording, { consent: true });
    site.outputs.film(stream, 30);
    await first.tips(performer, 25);
    await first.call(follow, { username });
    await second.call(follow, { username });
    await second.call(unfollow, { username });
    const sessions = [];
    for (const viewer of [first, second, third]) sessions.push(await watches(viewer, performer));
    site.engine.measure(stream);
    await page.idle();
    await site.passes(60_000);
    await media(third, whepEnd, { session: sessions.at(-1)! });
    site.engine.measure(stream);
    await first.tips(performer, 90);
    await second.tips(performer, 45);
    await page.idle();
    await site.passes(50_000);
    await page.idle();
    await first.call(joinFanclub, { username, level: 'supporter', price: 100 }, { idempotencyKey: uuidV4() });
    await site.passes(10_000);
    const question = await asksForEnd(page);
    await page.press('End broadcast', { in: question });
    const summary = await page.find('region', 'Your broadcast');
    await page.sees('Earned', { in: summary });
    await page.idle();
    expect(figuresOf(summary)).toEqual([
      ['Time on air', '2:05'],
      ['Most viewers at once', '3'],
      ['New followers', '1'],
      ['Recording', '1 recording'],
    ]);
    const kinds = await page.find('list', 'Tokens by kind', { in: summary });
    expect(linesOf(page, kinds)).toEqual([['Tip', '160 tokens'], ['Fan club', '80 tokens']]);
    await page.sees('240 tokens', { in: summary });
    await page.sees('$12.00', { in: summary });
    await page.sees(BEST, { in: summary });
    expect(await page.problems()).toEqual([]);
    await page.press('1 recording', { in: summary, role: 'link' });
    await page.find('heading', 'Recordings', { level: 1 });
  });

  test('has what a private show brought that it ended', async () => {
    const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
    const viewer = await site.viewer({ tokens: 300 });
    await startsPrivate(viewer, performer);
    const page = await openPage(site, performer, '/go-live');
    await watches(viewer, performer);
    await mediaPasses(site, performer, 25);
    await page.press('End broadcast', { in: await asksForEnd(page) });
    const summary = await page.find('region', 'Your broadcast');
    await page.until(async () => expect((await performer.call(getEarnings, {})).total.tokens).toBe(25));
    // The seconds since the meter's last charge are settled after the end.
    await page.sees('25 tokens', { in: await page.find('list', 'Tokens by kind', { in: summary }) });
    await page.sees('$1.25', { in: summary });
    expect(figuresOf(summary)).toEqual([
      ['Time on air', '0:25'],
      ['Most viewers at once', '1'],
      ['New followers', '0'],
      ['Recording', 'None'],
    ]);
    await page.press('Close summary', { in: summary });
    await page.gone('region', 'Your broadcast');
  });

  test('of what never was on air says so', async () => {
    const performer = await site.performer();
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    await performer.request({
      method: 'POST',
      url: '/whip',
      payload: TEST_OFFER,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
    });
    await site.settle();
    const page = await openPage(site, performer, '/go-live');
    await page.press('End broadcast', { in: await asksForEnd(page) });
    const summary = await page.find('region', 'Your broadcast');
    await page.sees('You weren’t on air yet: no video arrived.', { in: summary });
    expect(figuresOf(summary)).toEqual([]);
  });
});

describe('the encoder of a broadcast that was ended in the console', () => {
  const HINT = 'Your encoder tries to reconnect and is refused. Stop it, and start it again for your next '
    + 'broadcast.';

  /** Ends a broadcast and returns its summary. */
  async function ends(performer: Member): Promise<{ page: Page; summary: HTMLElement }> {
    site.engine.arrive();
    await site.settle();
    const page = await openPage(site, performer, '/go-live');
    await page.press('End broadcast', { in: await asksForEnd(page) });
    return { page, summary: await page.find('region', 'Your broadcast') };
  }

  test('is refused, as the summary says, until the performer lets it back on there', async () => {
    const performer = await site.performer();
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    const tries = async (): Promise<boolean> =>
      (await site.rtmp.publishes(key, { address: '192.0.2.1' })).admitted;
    expect(await tries()).toBe(true);
    const { page, summary } = await ends(performer);
    await page.sees(HINT, { in: summary });
    await page.sees(/^Stopped it already, and it’s still refused\?/u, { in: summary });
    expect(await tries()).toBe(false);
    await page.press('Let your encoder back on', { in: summary });
    const isBack = /^Your encoder is allowed again\./u;
    await page.sees(isBack, { in: summary });
    await expect.poll(() => document.activeElement?.textContent).toMatch(isBack);
    expect([page.shows(HINT), page.all('button', 'Let your encoder back on')]).toEqual([false, []]);
    expect(await page.problems()).toEqual([]);
    expect(await tries()).toBe(true);
    site.engine.arrive();
    await site.settle();
    await page.find('heading', 'Performer console');
    await page.sees('Live');
  });

  test('stays refused, and the summary says why, where its performer is hidden by then', async () => {
    const performer = await site.performer();
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    await site.rtmp.publishes(key, { address: '192.0.2.1' });
    const { page, summary } = await ends(performer);
    await performer.call(hideMe, {});
    await page.press('Let your encoder back on', { in: summary });
    await page.sees('You’re hidden from everybody. Show yourself again, then go live.', { in: summary });
    await page.sees(HINT, { in: summary });
  });

  test('is let back on before going live, where a page has published since', async () => {
    const performer = await site.performer();
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    const tries = async (): Promise<boolean> =>
      (await site.rtmp.publishes(key, { address: '192.0.2.1' })).admitted;
    await tries();
    const first = await ends(performer);
    await first.page.sees(HINT, { in: first.summary });
    await first.page.idle();
    // The refusal shows in the summary and nowhere else.
    expect(first.page.all('button', 'Let your encoder back on')).toHaveLength(1);
    const { stream_key: pageKey } = await performer.call(makeBrowserKey, {});
    await publishes(performer, pageKey);
    const { page, summary } = await ends(performer);
    await page.sees('Time on air', { in: summary });
    await page.sees(HINT);
    expect(await tries()).toBe(false);
    await page.press('Close summary', { in: summary });
    expect(await page.problems()).toEqual([]);
    await page.press('Let your encoder back on');
    const isBack = /^Your encoder is allowed again\./u;
    await page.sees(isBack);
    await expect.poll(() => document.activeElement?.textContent).toMatch(isBack);
    await page.until(() => expect(page.all('button', 'Let your encoder back on')).toEqual([]));
    expect(await tries()).toBe(true);
  });

  test('is not spoken of where a page published', async () => {
    const performer = await site.performer();
    const { stream_key: key } = await performer.call(makeBrowserKey, {});
    await publishes(performer, key);
    const { page, summary } = await ends(performer);
    await page.sees('Time on air', { in: summary });
    expect([page.shows(HINT), page.all('button', 'Let your encoder back on')]).toEqual([false, []]);
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
