import { chatUpdate, getRoom } from '#product/rooms/contract.ts';
import { endPrivate } from '#product/shows/contract/private-running.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { inRoom, LOBBY, received } from '#product/testkit/pages/room-sockets.ts';
import { splitOn } from '#product/testkit/payments/splits.ts';
import { privatePerformer, startsPrivate, watches } from '#product/testkit/shows/private-show.ts';
import { offersSpying, spiedShow } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { joinSplit, startSplit } from '#product/tips/contract/splits.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

const SPY = 'Spy for 12 tokens a minute';
/** What the video panel shows, by the name of its status. */
const faceOf = async (page: Page): Promise<string | undefined> =>
  (await page.find('main'))
    .querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
/** The statuses in the data of the room, as this viewer reads them. */
async function statusOf(viewer: Member, { username }: Member): Promise<readonly string[]> {
  const { streamStatus, chat, mode } = await viewer.call(getRoom, { username });
  return [streamStatus, chat.status, mode];
}
const ends = (viewer: Member, { username }: Member) => viewer.call(endPrivate, { username });

test(
  'a private show is a panel to whoever is in public, and video to its viewer and to a spy [B-212]',
  async () => {
    const performer = await offersSpying(site);
    const [viewer, spy, other] = [
      await site.viewer({ tokens: 300 }),
      await site.viewer({ tokens: 300 }),
      await site.viewer(),
    ];
    const outside = await openRoom(site, other, performer);
    await outside.until(async () => expect(await faceOf(outside)).toBe('online'));
    await startsPrivate(viewer, performer);
    await outside.sees(`${performer.person.displayName} is in a private show`);
    expect(await faceOf(outside)).toBe('private');
    expect(await statusOf(other, performer)).toEqual(['private', 'private', 'public']);
    await watches(viewer, performer);
    const inside = await openRoom(site, viewer, performer);
    await inside.find('region', 'Your private show');
    expect(await faceOf(inside)).toBe('online');
    expect(await statusOf(viewer, performer)).toEqual(['online', 'private', 'private']);
    const spied = await openRoom(site, spy, performer);
    expect(await faceOf(spied)).toBe('private');
    await spied.press(SPY);
    await spied.press(SPY, { in: await spied.find('alertdialog', /^Spy on/u) });
    await spied.until(async () => expect(await faceOf(spied)).toBe('online'));
    expect(await statusOf(spy, performer)).toEqual(['online', 'private', 'spy']);
    await spied.press('Stop spying');
    await spied.until(async () => expect(await faceOf(spied)).toBe('private'));
    await ends(viewer, performer);
    await site.settle();
    await spied.until(async () => expect(await faceOf(spied)).toBe('online'));
  },
);

test('a tip is neither split nor joined while a private show runs [B-220]', async () => {
  const performer = await privatePerformer(site);
  const { username } = performer;
  const [viewer, first, second] = [
    await site.viewer({ tokens: 300 }),
    await site.viewer({ tokens: 50 }),
    await site.viewer({ tokens: 50 }),
  ];
  const page = await openRoom(site, second, performer);
  await page.press('Tip menu');
  await page.find('button', 'Propose split');
  await first.call(startSplit, { username, amount: 20, people: 2 });
  await page.find('button', 'Join for 10');
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await page.sees(`${performer.person.displayName} is in a private show`);
  // The end of the split is shown for a while; nothing new can be started after it either.
  for (const waitMs of [0, 8_000]) {
    await site.passes(waitMs);
    await page.idle();
    expect(page.all('button', /^(?:Propose split|Join for .*)$/u)).toEqual([]);
  }
  for (const one of [viewer, second]) {
    const [start, join] = [
      await one.refused(startSplit, { username, amount: 20, people: 2 }),
      await one.refused(joinSplit, await splitOn(performer)),
    ];
    expect([start.errorType, join.errorType]).toEqual(['split_in_private', 'split_in_private']);
  }
  await ends(viewer, performer);
  await site.settle();
  await page.press('Propose split');
});

test(
  'chat updates say that a private show is exclusive, and what the room then is not for [B-364]',
  async () => {
    const performer = await offersSpying(site);
    const other = await site.viewer({ tokens: 300 });
    const socket = await other.joins(performer);
    const page = await openRoom(site, other, performer);
    // Only the event updates the page.
    page.network.holds(/\/chat\/react\/|\/video\/spy\//u);
    for (const exclusive of [false, true]) {
      const seen = socket.received(chatUpdate).length;
      const { viewer } = await spiedShow(site, { performer, exclusive });
      await page.sees(`${performer.person.displayName} is in a private show`);
      await page.until(() => expect(page.all('button', SPY)).toHaveLength(exclusive ? 0 : 1));
      expect(await faceOf(page)).toBe('private');
      expect(socket.received(chatUpdate).slice(seen).at(-1))
        .toMatchObject({ status: 'private', private_exclusive: exclusive });
      await ends(viewer, performer);
      await site.settle();
      await page.until(async () => expect(await faceOf(page)).toBe('online'));
      expect(page.all('button', SPY)).toEqual([]);
      expect(socket.received(chatUpdate).at(-1))
        .toMatchObject({ status: 'online', private_exclusive: false });
    }
    expect(received(page, chatUpdate.name).length).toBeGreaterThan(3);
  },
);

/** The notes of a page that the viewer left. */
const notes = (page: Page): readonly string[] =>
  page.network.sent.filter((text) => text.startsWith('POST /api/v1/log {'));

test(
  'notes of a page are sent of members with remote logging, in a show, or who ask for it [A-366, A-367]',
  async () => {
    const performer = await privatePerformer(site);
    const noted = async (visitor: Visitor, isIn = false): Promise<readonly string[]> => {
      const on = await inRoom(site, visitor, performer);
      await on.joined(LOBBY, 1);
      if (isIn) await on.page.find('region', 'Your private show');
      on.page.network.stalls(LOBBY);
      site.clock.advance(10_000);
      site.clock.advance(2_000);
      await on.page.until(() => expect(on.page.complaints.join()).toContain('socket noPong lobby'));
      await on.page.idle();
      return [...new Set(notes(on.page))];
    };
    const viewer = await site.viewer({ tokens: 1_000 });
    const NOTE = 'POST /api/v1/log {"logs":["socket noPong"]}';
    expect(await noted(viewer)).toEqual([]);
    expect(await noted(await site.visitor({ ofAge: true }))).toEqual([]);
    expect(await noted(await site.viewer({ roles: ['remote_logging'] }))).toEqual([NOTE]);
    expect(await noted(performer)).toEqual([]);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    expect(await noted(await site.viewer())).toEqual([]);
    expect(await noted(viewer, true)).toEqual([NOTE]);
    expect(await noted(performer, true)).toEqual([NOTE]);
    for (const visitor of [await site.viewer(), await site.visitor({ ofAge: true })]) {
      const page = await openPage(site, visitor, '/', { mayPrint: /./u });
      page.network.spoils(/\/tags\/index/u);
      await page.press('All tags', { role: 'link', in: await page.find('contentinfo') });
      await page.find('heading', 'Oops', { level: 1 });
      await page.sees(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/u);
      await page.idle();
      expect(notes(page)).toEqual([]);
      if (!('person' in visitor)) {
        expect(page.all('button', 'Let support know it was me')).toEqual([]);
        continue;
      }
      await page.press('Let support know it was me');
      await page.until(() => expect(notes(page)).toHaveLength(1));
      expect(notes(page)[0]).toMatch(/"logs":\["crash .*"on_request":true/u);
    }
  },
);

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
