import { actionBar } from '#product/testkit/pages/look/action-bar.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { fireEvent } from '@testing-library/dom';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

const THEATRE = 'Theatre view';
type Page = Awaited<ReturnType<typeof openRoom>>;

/** What is visible of the room: its chat, and the name under the video. */
const seen = (page: Page) => ({
  chat: page.all('textbox', 'Message').length > 0,
  name: page.shows(/in the room$/u),
});

test('theatre view leaves video and actions, and keys lead into it and back', async () => {
  const page = await openRoom(site, await site.viewer({ tokens: 50 }), performer);
  const bar = await actionBar(page);
  const frame = bar.closest<HTMLElement>('[data-chat]')!;
  await page.until(() => expect(seen(page)).toEqual({ chat: true, name: true }));
  expect(frame.className.split(' ')).toContain('lg:data-theatre:grid-cols-1');
  for (const [isOn, key] of [[true, '{Enter}'], [false, ' '], [true, ' '], [false, '{Enter}']] as const) {
    (await page.find('button', THEATRE, { in: bar })).focus();
    await page.keys(key);
    // The button is in the same place, so the same key leads back.
    expect(page.focused).toBe(await page.find('button', THEATRE, { in: bar, pressed: isOn }));
    expect(frame.dataset['theatre']).toBe(isOn ? '' : undefined);
    await page.tab({ shift: true });
    await page.until(() => expect(seen(page)).toEqual({ chat: !isOn, name: !isOn }));
    await page.find('group', 'Player');
    await page.find('button', 'Tip 25', { in: bar });
    if (isOn) expect(await page.problems()).toEqual([]);
  }
});

test(
  'theatre view is remembered over a reload and in the next room until it is left, and a phone has none',
  async () => {
    const [viewer, next] = [await site.viewer(), await site.performer({ live: true })];
    const page = await openRoom(site, viewer, performer);
    await page.press(THEATRE);
    await page.until(() => expect(seen(page).chat).toBe(false));
    const reloaded = await openRoom(site, viewer, performer);
    await reloaded.find('button', THEATRE, { pressed: true });
    expect([seen(reloaded).chat, viewer.storage.local.get('candela.theatre')]).toEqual([false, 'on']);
    reloaded.follows(`/${next.username}`);
    await reloaded.until(() => expect(reloaded.path).toBe(`/${next.username}`));
    await reloaded.find('button', THEATRE, { pressed: true });
    expect(seen(reloaded).chat).toBe(false);
    const phone = await openRoom(site, viewer, performer, { width: 390 });
    await actionBar(phone);
    expect([phone.all('button', THEATRE), seen(phone).chat]).toEqual([[], true]);
    // The choice is not shared with other browsers.
    const other = await openRoom(site, await site.viewer(), performer);
    await other.find('button', THEATRE, { pressed: false });
    const again = await openRoom(site, viewer, next);
    await again.press(THEATRE);
    await again.until(() => expect(seen(again).chat).toBe(true));
    const back = await openRoom(site, viewer, performer);
    await back.find('button', THEATRE, { pressed: false });
    expect([seen(back).chat, viewer.storage.local.has('candela.theatre')]).toEqual([true, false]);
  },
);

test('the video goes on in a corner once most of it is scrolled away, until it is back', async () => {
  const page = await openRoom(site, await site.viewer(), performer);
  const column = (await actionBar(page)).parentElement!;
  const player = await page.find('group', 'Player');
  const place = column.firstElementChild!;
  // The container of the video scrolls with the column, and the video is the same element that played there.
  expect([place.contains(player), column.className.split(' ').includes('lg:overflow-y-auto')])
    .toEqual([true, true]);
  // Elements have no height in the DOM of the tests.
  Object.defineProperty(place, 'clientHeight', { value: 500 });
  const corner = ['fixed', 'bottom-4', 'right-[376px]', 'z-10', 'group-data-theatre:right-4']
    .map((name) => `lg:group-data-scrolled:${name}`);
  expect(player.closest('[class*=group-data-scrolled]')?.className.split(/\s+/u))
    .toEqual(expect.arrayContaining(corner));
  for (const [top, isSmall] of [[300, false], [301, true], [900, true], [300, false], [0, false]] as const) {
    column.scrollTop = top;
    fireEvent.scroll(column);
    await page.until(() => expect(column.parentElement?.dataset['scrolled']).toBe(isSmall ? '' : undefined));
    expect(await page.find('group', 'Player')).toBe(player);
  }
});

test(
  'the small video is closed by its button, by keys too, and stays closed until one has scrolled back up',
  async () => {
    const page = await openRoom(site, await site.viewer(), performer);
    const bar = await actionBar(page);
    const column = bar.parentElement!;
    const frame = column.parentElement!;
    Object.defineProperty(column.firstElementChild!, 'clientHeight', { value: 500 });
    const scrolls = async (top: number, isSmall: boolean): Promise<void> => {
      column.scrollTop = top;
      fireEvent.scroll(column);
      // Renders what the scroll caused, so that an absence is final.
      await page.idle();
      await page.until(() => expect(frame.dataset['scrolled']).toBe(isSmall ? '' : undefined));
    };
    const CLOSE = 'Close the small video';
    expect(page.all('button', CLOSE)).toEqual([]);
    await scrolls(400, true);
    await page.find('group', 'Player');
    expect(await page.problems()).toEqual([]);
    (await page.find('button', CLOSE)).focus();
    await page.keys('{Enter}');
    await page.until(() => expect(frame.dataset['scrolled']).toBeUndefined());
    expect(page.all('button', CLOSE)).toEqual([]);
    // The button is gone, so the bar, beside which reading goes on, has the focus.
    expect(page.focused).toBe(bar);
    for (const top of [500, 301, 900]) await scrolls(top, false);
    await scrolls(300, false);
    await scrolls(301, true);
    await page.press(CLOSE);
    await scrolls(900, false);
  },
);

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
