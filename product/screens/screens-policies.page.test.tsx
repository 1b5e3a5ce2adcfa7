import { DAY_MS } from '#platform/time/units.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { agreesOn } from '#product/testkit/people/policies.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

const dayAfter = (days: number): string =>
  new Date(site.clock.now().getTime() + days * DAY_MS).toISOString().slice(0, 10);

/** Two admins agree that a place is closed from a day on. */
async function closes(region: string, from: string): Promise<void> {
  await agreesOn(site, {
    region,
    from,
    rule: 'blocked',
    methods: [],
    time_zone: 'UTC',
    texts: { en: 'Read this first.' },
  });
}

test('a listing without a socket shows the gate when the policy of its place begins', async () => {
  await closes('BR', dayAfter(1));
  // Seconds before midnight, for the parts of a page have to load within some.
  site.clock.advance(12 * 3_600_000 - 4_000);
  const page = await openPage(site, await site.visitor({ region: 'BR', ofAge: true }), '/girls');
  await page.find('link', new RegExp(performer.person.displayName, 'u'));
  expect(page.network.texts).toEqual([]);
  await site.passes(3_000);
  expect(page.shows('Not available in your region')).toBe(false);
  await site.passes(1_500);
  await page.find('heading', 'Not available in your region');
  await page.sees('Read this first.');
  expect(page.all('link', new RegExp(performer.person.displayName, 'u'))).toEqual([]);
  expect(document.body.innerHTML).not.toContain(performer.username);
  expect(await page.problems()).toEqual([]);
});

test('a room shows the gate as soon as a policy of its place applies, and rooms elsewhere stay', async () => {
  const visitor = await site.visitor({ region: 'PT', ofAge: true });
  const elsewhere = await site.socketOf(
    await site.visitor({ region: 'ES', ofAge: true }),
    performer.username,
  );
  const page = await openRoom(site, visitor, performer);
  await closes('PT', dayAfter(0));
  await site.settle();
  await page.find('heading', 'Not available in your region');
  expect(document.querySelector('video')).toBeNull();
  expect(document.body.innerHTML).not.toContain(performer.username);
  expect(elsewhere.closeCode).toBeNull();
});
