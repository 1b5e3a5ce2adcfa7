import { DAY_MS } from '#platform/time/units.ts';
import { DEMO_LISTING_NAMES } from '#product/testkit/demo/cast.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { giveLike } from './contract/likes.ts';
import { getExperiments } from './contract/trackers.ts';

let site: TestSite;
let winner: Member;
let second: Member;
let man: Member;
/** A performer with one like, more than thirty days old. */
let former: Member;
beforeAll(async () => {
  site = await createSite();
  await site.tx((tx) => site.services.site.nameListings(tx, site.scope.siteId, DEMO_LISTING_NAMES));
  [winner, second, man, former] = [
    await site.performer({ live: true }),
    await site.performer(),
    await site.performer({ gender: 'm' }),
    await site.performer(),
  ];
  await site.settle();
  await (await site.viewer()).call(giveLike, { username: former.username });
  await site.passes(31 * DAY_MS);
  const [fan, other] = [await site.viewer(), await site.viewer()];
  // The loser of that month received likes first.
  await fan.call(giveLike, { username: second.username });
  for (const member of [fan, other]) await member.call(giveLike, { username: winner.username });
  const now = site.clock.now();
  await site.passes(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12) - now.getTime());
  const fans = [await site.viewer(), await site.viewer(), await site.viewer()];
  for (const member of fans) await member.call(giveLike, { username: second.username });
  await fans[0]?.call(giveLike, { username: winner.username });
  await site.passes(1_000);
  await fans[0]?.call(giveLike, { username: man.username });
});
afterAll(() => site.close());

test('the most-liked page shows the board, past winners, and one’s own likes [B-131, B-330]', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/most-liked');
  const board = await page.find('list', 'Leaderboard');
  const places = () => page.all('listitem', undefined, { in: board }).map(({ textContent }) => textContent);
  expect(places()).toEqual([
    expect.stringContaining(`${second.person.displayName}3 likes`),
    expect.stringContaining(`${winner.person.displayName}1 like`),
    expect.stringContaining(`${man.person.displayName}1 like`),
  ]);
  await page.sees('Position 1', { in: board });
  const past = await page.find('list', 'Past winners');
  await page.find('link', new RegExp(winner.person.displayName, 'u'), { in: past });
  await page.sees('2 likes', { in: past });
  expect(page.all('listitem', undefined, { in: past }).map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining(winner.person.displayName),
    expect.stringContaining(former.person.displayName),
  ]);
  await page.sees('You’ve given 0 likes this month.');
  expect(page.network.sent.filter((sent) => sent.includes('/user/like'))).toEqual(['GET /api/v1/user/like']);
  expect(await page.problems()).toEqual([]);
  await page.press(`Like ${winner.person.displayName}`, { role: 'button', in: board });
  await page.sees('You’ve given 1 like this month.');
  await page.until(() => expect(places()[1]).toContain('2 likes'));
  await page.sees('Liked today', { in: board });
  await page.fill('Performer’s username', man.username);
  await page.press('Like', { role: 'button' });
  await page.sees('You’ve given 2 likes this month.');
  await page.fill('Performer’s username', 'nobody-of-that-name');
  await page.press('Like', { role: 'button' });
  await page.sees('There’s no such performer here. Check the name.');

  // One like came before this test, one from its viewer.
  const own = await openPage(site, await site.anotherTabOf(winner), '/most-liked');
  await own.sees('You’ve received 2 likes this month.');
  await own.sees('Your position: 2');
});

/** The four wordings of the invitation to like somebody, by variant of the experiment. */
const WORDINGS = new Map([
  ['a', 'Whose show did you enjoy today? Leave a like.'],
  ['b', 'A like costs nothing and shows a performer that you enjoyed the show.'],
  ['c', 'Help a performer move up the board with a like.'],
  ['d', 'One like a day for every performer you enjoy.'],
]);

test('guests see the board and how to like, in the wording of their variant [C-407]', async () => {
  const guests = new Map<string, Visitor>();
  for (let tries = 0; tries < 200 && guests.size < WORDINGS.size; tries += 1) {
    const guest = await site.visitor({ ofAge: true });
    guests.set((await guest.call(getExperiments, {})).experiments[0]?.variant ?? '', guest);
  }
  expect([...guests.keys()].toSorted()).toEqual([...WORDINGS.keys()]);
  for (const [variant, guest] of guests) {
    const page = await openPage(site, guest, '/most-liked');
    await page.find('list', 'Leaderboard');
    await page.sees('Log in to like performers.');
    expect(page.all('button', /^Like/u)).toEqual([]);
    await page.sees(WORDINGS.get(variant) ?? '');
    expect([...WORDINGS.values()].filter((words) => page.shows(words))).toEqual([WORDINGS.get(variant)]);
  }
});

test('/contests lists the contests of the site, with a board for each gender [A-134]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/contests');
  await page.find('heading', 'Contests');
  await page.find('heading', 'Sodastars');
  expect(await page.problems()).toEqual([]);
  await page.press('Men', { role: 'link', in: await page.find('main') });
  await page.find('heading', 'Sodastars: Men');
  expect(page.path).toBe('/contests/men/sodastars');
});

test('each gender has its sodastars page, by the likes of this month [B-041]', async () => {
  const guest = await site.visitor({ ofAge: true });
  for (const [path, who, names] of [
    ['girls', 'Girls', [second, winner]],
    ['men', 'Men', [man]],
    ['couples', 'Couples', []],
    ['trans', 'Trans', []],
  ] as const) {
    const page = await openPage(site, guest, `/contests/${path}/sodastars`);
    await page.find('heading', `Sodastars: ${who}`);
    if (names.length === 0) await page.sees('Nobody has a like on this board yet.');
    else {
      const board = await page.find('list', 'This month');
      expect(page.all('link', undefined, { in: board }).map((link) => link.getAttribute('href')))
        .toEqual(names.map(({ username }) => `/${username}`));
    }
  }
  const page = await openPage(site, guest, '/contests/robots/sodastars');
  await page.sees('404');
});

test('a contest has a board of 2,000 places and one of thirty days [B-043]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/contests/girls/sodastars');
  await page.press('Top 2000', { role: 'link', in: await page.find('navigation', 'Boards') });
  const all = await page.find('list', 'Top 2000');
  expect(page.path).toBe('/contests/girls/sodastars/top2000');
  // The all-time board includes last month's likes; a member of this page may have given one more.
  await page.find('link', new RegExp(`^${winner.person.displayName} ?[34] likes`, 'u'), { in: all });
  await page.find('link', new RegExp(`^${former.person.displayName} ?1 like`, 'u'), { in: all });
  await page.press('30 days', { role: 'link', in: await page.find('navigation', 'Boards') });
  const days = await page.find('list', '30 days');
  await page.find('link', new RegExp(`^${winner.person.displayName} ?[34] likes`, 'u'), { in: days });
  for (const { person } of [former, man]) {
    expect(page.all('link', new RegExp(`^${person.displayName}\\b`, 'u'), { in: days })).toEqual([]);
  }
  expect(page.path).toBe('/contests/girls/sodastars/30days');
  expect(await page.problems()).toEqual([]);
});
