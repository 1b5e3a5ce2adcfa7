import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { follow, hidePerformer, listFollowed, listHidden } from '#product/messaging/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { listReceivedTips, sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const PHONE = { width: 390 };
/** Height of a card on the phone, in CSS pixels. */
const CARD_HEIGHT = 700;

type Page = Awaited<ReturnType<typeof openPage>>;

let site: TestSite;
let performers: readonly Member[];
let guest: Visitor;
beforeAll(async () => {
  site = await createSite();
  performers = [
    await site.performer({ live: true, gender: 'f' }),
    await site.performer({ live: true, gender: 'f' }),
    await site.performer({ live: true, gender: 'c' }),
  ];
});
beforeEach(async () => {
  guest = await site.visitor({ ofAge: true });
  for (const one of performers) await one.goesLive().catch(() => undefined);
});
afterAll(() => site.close());

/** The card that is shown; the cards beside it are inert. */
const card = (page: Page, name?: string): Promise<HTMLElement> =>
  page.until(() => {
    const [found] = page.all('article', name)
      .filter((element) => page.all('heading', undefined, { in: element }).length > 0);
    if (!found) throw new Error(`no card ${name ?? ''}`);
    return found;
  });
const nameOn = async (page: Page): Promise<string> =>
  (await page.find('heading', undefined, { level: 2 })).textContent ?? '';
const performerOn = async (page: Page): Promise<Member> => {
  const name = await nameOn(page);
  const found = performers.find(({ person }) => person.displayName === name);
  if (!found) throw new Error(`${name} is nobody of this test`);
  return found;
};
const feedOf = (page: Page): Promise<HTMLElement> => page.find('feed', 'Swipe through live rooms');

/** Opens the page as people on a phone do: from the bar at the foot. */
async function opensSwipe(visitor: Visitor): Promise<Page> {
  const page = await openPage(site, visitor, '/', PHONE);
  await page.press('Swipe', { role: 'link', in: await page.find('navigation', 'Main navigation') });
  await page.until(() => expect(page.path).toBe('/swipe'));
  await feedOf(page);
  await card(page);
  return page;
}

/** Swipes to a card as a finger does, and comes to rest there. */
async function swipesTo(page: Page, position: number): Promise<void> {
  const feed = await feedOf(page);
  Object.defineProperty(feed, 'clientHeight', { configurable: true, value: CARD_HEIGHT });
  feed.scrollTop = position * CARD_HEIGHT;
  feed.dispatchEvent(new Event('scroll'));
  await site.passes(200);
}

/** Names of all cards, from the first to the last. */
async function namesOf(page: Page): Promise<readonly string[]> {
  const names: string[] = [];
  await card(page);
  while (page.all('heading', undefined, { level: 2 }).length > 0) {
    names.push(await nameOn(page));
    const before = names.length;
    await page.keys('{ArrowDown}');
    await page.until(() => {
      const shown = page.all('heading', undefined, { level: 2 }).map(({ textContent }) => textContent);
      expect(shown).not.toEqual([names[before - 1]]);
      // Between two cards there is a moment with none.
      expect(shown.length === 1 || page.shows('You’ve seen everyone who’s live.')).toBe(true);
    });
  }
  await page.sees('You’ve seen everyone who’s live.');
  return names;
}

const playbacks = (page: Page): readonly string[] =>
  page.network.sent
    .flatMap((text) => /\/video\/playback\/([^?]+)/u.exec(text)?.[1] ?? []);

/** Cards with a player: a video, or the line that this window cannot play it. */
const playersOf = (page: Page): number =>
  page.all('article').filter((element) =>
    element.querySelector('video') !== null || element.textContent?.includes('can’t play this video')
  ).length;

test('a phone swipes from one live performer to the next, who alone plays [C-017]', async () => {
  const page = await opensSwipe(guest);
  const first = await performerOn(page);
  await page.until(() => expect(new Set(playbacks(page))).toEqual(new Set([first.username])));
  await page.until(() => expect(playersOf(page)).toBe(1));
  await swipesTo(page, 1);
  await page.until(() => expect(page.all('article', first.person.displayName)).toEqual([]));
  const second = await performerOn(page);
  expect(second).not.toBe(first);
  await page.until(() => expect(playbacks(page)).toContain(second.username));
  // The stream of a card that is gone is neither played nor requested.
  const asked = playbacks(page).length;
  await site.passes(30_000);
  await page.idle();
  expect(playbacks(page).slice(asked).filter((username) => username !== second.username)).toEqual([]);
  expect(playersOf(page)).toBeLessThan(2);
  // Watching here is not joining the room.
  expect(page.network.opened.filter((path) => path !== '/ws/lobby')).toEqual([]);
  // Back with a key; a finger that flies past cards stops at none of those between.
  await page.keys('{ArrowUp}');
  await card(page, first.person.displayName);
  const feed = await feedOf(page);
  for (const top of [0.5, 1, 1.5]) {
    feed.scrollTop = top * CARD_HEIGHT;
    feed.dispatchEvent(new Event('scroll'));
    await site.passes(50);
  }
  await swipesTo(page, 2);
  const third = await performerOn(page);
  expect([first, second]).not.toContain(third);
  expect(await page.problems()).toEqual([]);
  await page.press('Open room', { role: 'link', in: await card(page) });
  await page.until(() => expect(page.path).toBe(`/${third.username}`));
  // Coming back leads to the performer whose room was left.
  await page.back();
  await card(page, third.person.displayName);
});

test('keys lead on, and open the room', async () => {
  const page = await opensSwipe(guest);
  const names = [await nameOn(page)];
  await page.keys('{ArrowDown}');
  await page.until(() => expect(page.all('article', names[0])).toEqual([]));
  names.push(await nameOn(page));
  expect(new Set(names).size).toBe(2);
  await page.keys('{ArrowUp}');
  await card(page, names[0]);
  // In the field arrow keys are for its text; the focus never stays on the button of another card.
  const tokens = await page.field('Tokens', { in: await card(page) });
  tokens.focus();
  await page.keys('{ArrowDown}');
  await card(page, names[0]);
  await page.press('Next', { in: await page.find('main') });
  await card(page, names[1]);
  await page.press('Previous');
  const first = await performerOn(page);
  expect(first.person.displayName).toBe(names[0]);
  (await feedOf(page)).focus();
  await page.keys('{Enter}');
  await page.until(() => expect(page.path).toBe(`/${first.username}`));
});

describe('a tip from the feed', () => {
  test('is 25 tokens, of whoever is shown [C-144]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    // An earlier tip elsewhere changes nothing here.
    viewer.storage.local.set('candela.lastTip', '60');
    const page = await opensSwipe(viewer);
    await swipesTo(page, 1);
    const performer = await performerOn(page);
    const form = await page.find('form', `Tip ${performer.person.displayName}`, { in: await card(page) });
    expect(await page.field('Tokens', { in: form })).toHaveProperty('value', '25');
    expect(await tokensOf(viewer)).toBe(100);
    await page.press('Tip 25', { in: form });
    await page.sees(`You tipped ${performer.person.displayName} 25 tokens.`);
    expect(await tokensOf(viewer)).toBe(75);
    await site.settle();
    const { tips } = await performer.call(listReceivedTips, {});
    expect(tips).toMatchObject([{ tokens: 25, sender_name: viewer.username }]);
    // One press is one tip, and the next card starts at 25 as well.
    expect(page.network.sent.filter((text) => /^POST .*\/tip\//u.test(text))).toHaveLength(1);
    await page.fill('Tokens', '40', { in: form });
    await swipesTo(page, 2);
    expect(await page.field('Tokens', { in: await card(page) })).toHaveProperty('value', '25');
    expect(await tokensOf(viewer)).toBe(75);
  });

  test('is sent by members: guests are asked to log in, who lacks tokens to buy some', async () => {
    const page = await opensSwipe(guest);
    await page.press('Tip 25', { in: await card(page) });
    await page.find('dialog', 'Log in');
    expect(page.network.sent.filter((text) => text.includes('/tip/'))).toEqual([]);
    const tip = { username: performers[0]?.username ?? '', amount: 25 };
    const attack = await guest.refused(sendTip, tip, { idempotencyKey: crypto.randomUUID() });
    expect(attack).toMatchObject({ status: 401 });
    const poor = await site.viewer({ tokens: 24 });
    const other = await opensSwipe(poor);
    await other.press('Tip 25', { in: await card(other) });
    await other.find('dialog', 'Not enough tokens');
    expect(await tokensOf(poor)).toBe(24);
  });
});

describe('whoever', () => {
  test('is hidden, blocks the region, is in another section or the viewer never appears', async () => {
    const [hidden, blocked] = [
      await site.performer({ live: true, gender: 'f' }),
      await site.performer({ live: true, gender: 'f' }),
    ];
    const man = await site.performer({ live: true, gender: 'm' });
    onTestFinished(async () => {
      for (const one of [hidden, blocked, man]) await one.call(endBroadcast, {});
      await site.settle();
    });
    const viewer = await site.viewer();
    await viewer.call(hidePerformer, { username: hidden.username });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, blocked.id, ['CH']));
    await site.settle();
    const namesFor = async (visitor: Visitor): Promise<readonly string[]> =>
      (await namesOf(await opensSwipe(visitor))).toSorted();
    const names = (...more: readonly Member[]): readonly string[] =>
      [...performers, ...more].map(({ person }) => person.displayName).toSorted();
    expect(await namesFor(viewer)).toEqual(names(blocked));
    const swiss = await site.visitor({ region: 'CH', ofAge: true });
    expect(await namesFor(swiss)).toEqual(names(hidden));
    // The cookie decides which section the viewer sees.
    viewer.writesCookie('gender=m; Path=/');
    const page = await openPage(site, viewer, '/swipe', PHONE);
    expect(await namesOf(page)).toEqual([man.person.displayName]);
    // Performers do not see themselves.
    const own = await opensSwipe(man);
    expect(await namesOf(own)).not.toContain(man.person.displayName);
  });

  test('is hidden here is gone at once, and can be followed before', async () => {
    const viewer = await site.viewer();
    const page = await opensSwipe(viewer);
    const first = await performerOn(page);
    await page.press('Follow', { in: await card(page) });
    await page.find('button', 'Following', { in: await card(page) });
    const { performers: followed } = await viewer.call(listFollowed, {});
    expect(followed).toMatchObject([{ username: first.username }]);
    await page.press('Hide', { in: await card(page) });
    await page.until(() => expect(page.all('article', first.person.displayName)).toEqual([]));
    const { performers: hidden } = await viewer.call(listHidden, {});
    expect(hidden).toMatchObject([{ username: first.username }]);
    expect(await namesOf(page)).not.toContain(first.person.displayName);
    await page.press('Start over');
    expect(await namesOf(page)).not.toContain(first.person.displayName);
    const own = await opensSwipe(guest);
    await own.press('Follow', { in: await card(own) });
    await own.find('dialog', 'Log in');
    await own.keys('{Escape}');
    await own.press('Hide', { in: await card(own) });
    await own.find('dialog', 'Log in');
    for (const attack of [follow, hidePerformer]) {
      expect(await guest.refused(attack, { username: first.username })).toMatchObject({ status: 401 });
    }
  });

  test('goes offline meanwhile says so, with the way to the next', async () => {
    const page = await opensSwipe(guest);
    const first = await performerOn(page);
    // The performer whose thumbnail is next.
    const next = (await feedOf(page)).querySelectorAll('h2')[1]?.textContent;
    const gone = performers.find(({ person }) => person.displayName === next) as Member;
    await gone.call(endBroadcast, {});
    await site.settle();
    await page.keys('{ArrowDown}');
    await page.sees(`${gone.person.displayName} is no longer live.`, { in: await card(page) });
    expect(document.querySelectorAll('video')).toHaveLength(0);
    await page.press('Next', { in: await card(page) });
    expect([first, gone]).not.toContain(await performerOn(page));
    expect(await page.problems()).toEqual([]);
  });
});

test('who saves data sees thumbnails until the video is asked for', async () => {
  guest.storage.local.set('candela.player', '{"saver":true}');
  const page = await opensSwipe(guest);
  const first = await performerOn(page);
  const play = await page.find('button', 'Play video', { in: await card(page) });
  await site.passes(5_000);
  await page.idle();
  expect(playbacks(page)).toEqual([]);
  await page.click(play);
  await page.until(() => expect(playbacks(page)).toContain(first.username));
  await page.keys('{ArrowDown}');
  await page.find('button', 'Play video');
});

test('a swipe can be turned off in a browser; keys and buttons still lead on', async () => {
  const page = await opensSwipe(guest);
  const name = await nameOn(page);
  await page.press('Swipe to browse');
  expect((await feedOf(page)).className).toContain('overflow-y-hidden');
  const again = await openPage(site, guest, '/swipe', PHONE);
  await again.find('button', 'Swipe to browse', { pressed: false });
  await again.press('Next');
  await again.until(() => expect(again.all('article', name)).toEqual([]));
});

test('a swipe leads on where the setting of a member says so, and the button saves it', async () => {
  const member = await site.viewer();
  const isSaved = async () => (await member.call(getCurrentUser, {})).settings.swipe_to_browse_enabled;
  const swipes = async (page: Page): Promise<boolean> =>
    !(await feedOf(page)).className.includes('overflow-y-hidden');
  const page = await openPage(site, member, '/swipe', PHONE);
  await page.find('button', 'Swipe to browse', { pressed: true });
  expect(await swipes(page)).toBe(true);
  const other = await site.anotherTabOf(member);
  for (const isOn of [false, true]) {
    await page.press('Swipe to browse');
    await page.until(async () => expect([await isSaved(), await swipes(page)]).toEqual([isOn, isOn]));
  }
  for (const isOn of [false, true]) {
    await other.call(updateSettings, { swipe_to_browse_enabled: isOn });
    await page.until(async () => expect(await swipes(page)).toBe(isOn));
  }
  await other.call(updateSettings, { swipe_to_browse_enabled: false });
  const again = await openPage(site, other, '/swipe', PHONE);
  await again.find('button', 'Swipe to browse', { pressed: false });
  expect(await swipes(again)).toBe(false);
});

test('says that it loads, what failed, and that nobody is live', async () => {
  const page = await openPage(site, guest, '/', PHONE);
  const release = page.network.holds(/\/browse\/react\/v2\//u);
  await page.press('Swipe', { role: 'link', in: await page.find('navigation', 'Main navigation') });
  await page.find('status', 'Loading live rooms');
  page.network.goesDown(true);
  release();
  const alert = await page.find('alert', undefined, { in: await page.find('main') });
  page.network.goesDown(false);
  await page.press('Try again', { in: alert });
  await card(page, (await performerOn(page)).person.displayName);
  for (const one of performers) await one.call(endBroadcast, {});
  await site.settle();
  const empty = await openPage(site, guest, '/swipe', PHONE);
  await empty.sees('No one is live here right now.');
  await empty.find('button', 'Refresh');
  expect(await empty.problems()).toEqual([]);
});

test('asks for more before the end, and for everybody once', async () => {
  const many: Member[] = [];
  for (let nth = 0; nth < 24; nth += 1) {
    const performer = await site.performer({ gender: 't' });
    await performer.call(setDetails, { title: `Show ${nth}`, tags: ['many'] });
    await performer.goesLive();
    many.push(performer);
  }
  guest.writesCookie('gender=t; Path=/');
  const page = await openPage(site, guest, '/swipe', PHONE);
  const loads = () => page.network.sent.filter((text) => text.includes('/browse/react/v2/'));
  await page.sees(/^Show \d+$/u, { in: await card(page) });
  await page.sees('#many', { in: await card(page) });
  expect(loads()).toHaveLength(1);
  expect((await namesOf(page)).toSorted())
    .toEqual(many.map(({ person }) => person.displayName).toSorted());
  expect(loads().filter((load) => load.includes('from=20'))).toHaveLength(1);
}, 60_000);

test('a card names the username of who has another display name', async () => {
  const [first] = performers as [Member];
  await first.call(updateProfile, { display_name: 'Midnight Ann' });
  await site.settle();
  const page = await opensSwipe(guest);
  let shown = await card(page);
  for (const _other of performers.slice(1)) {
    if (await nameOn(page) === 'Midnight Ann') break;
    await page.keys('{ArrowDown}');
    await page.until(async () => expect(await card(page)).not.toBe(shown));
    shown = await card(page);
  }
  await page.sees(`@${first.username}`, { in: await card(page, 'Midnight Ann') });
});
