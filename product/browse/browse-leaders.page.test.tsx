import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { castOfListings, endsBroadcasts, inOrder, matchingOn } from '#product/testkit/pages/listings.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
let match: Member;
let viewer: Member;
beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
  const plain = await site.performer({ username: 'plain_one', live: true });
  ({ match, viewer } = await castOfListings(site, plain));
});
afterAll(() => site.close());

describe('of somebody watched for long and somebody who just came', () => {
  const watching: Awaited<ReturnType<Member['joins']>>[] = [];
  let fresh: Member;
  let others: readonly Member[];
  beforeAll(async () => {
    await site.passes(2 * HOUR_MS + MINUTE_MS);
    const watched = await matchingOn(site, 'led_man', 'm');
    others = [await matchingOn(site, 'other_man', 'm'), watched, await matchingOn(site, 'led_trans', 't')];
    for (const room of [match, watched]) watching.push(await (await site.viewer()).joins(room));
    // The properties that other orders prefer: new, just live, cheap.
    fresh = await site.performer({ username: 'fresh_one' });
    await fresh.call(saveListingProfile, { private_price: 6 });
    await fresh.goesLive();
  });
  afterAll(async () => {
    for (const socket of watching) await socket.leaves();
    await endsBroadcasts(site, [fresh, ...others]);
  });

  test.each(
    [
      ['/top', 'Top performers', ['anna_match', 'plain_one', 'carla_and_max', 'fresh_one'], '[B-064, C-028]'],
      [
        '/girls/leaders',
        'Girls most people are watching',
        ['anna_match', 'plain_one', 'fresh_one'],
        '[B-065]',
      ],
      ['/couples/leaders', 'Couples most people are watching', ['carla_and_max'], '[B-065]'],
      ['/men/leaders', 'Men most people are watching', ['led_man', 'other_man'], '[B-065]'],
      ['/trans/leaders', 'Trans performers most people are watching', ['led_trans'], '[B-065]'],
    ] as const,
  )('%s ranks by viewers, “%s”: %j %s', async (path, heading, names, _ids) => {
    const page = await openPage(site, viewer, path);
    await page.find('heading', heading, { level: 1 });
    await page.until(() => expect(inOrder(page)).toEqual(names.map((name) => `/${name}`)));
    for (const [at, tile] of page.all('article').entries()) {
      // The number is visual only; screen readers get the words beside it.
      expect(tile.textContent).toContain(`#${at + 1}Position ${at + 1}`);
      expect(page.shows(`Position ${at + 1}`, { in: tile })).toBe(true);
      const watched = ['anna_match', 'led_man'].includes(names[at] ?? '')
        ? /^Viewers: 1\b/u
        : /^Viewers: 0\b/u;
      expect(page.shows(watched, { in: tile })).toBe(true);
    }
  });

  test('a section, by the published ranking, begins with who just came', async () => {
    const page = await openPage(site, viewer, '/girls');
    await page.find('heading', 'Girls live now', { level: 1 });
    await page.until(() => expect(inOrder(page).slice(0, 2)).toEqual(['/fresh_one', '/anna_match']));
    expect(page.shows('Position 1')).toBe(false);
  });
});
