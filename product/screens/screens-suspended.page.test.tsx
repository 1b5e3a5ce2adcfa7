import { suspendPerson } from '#product/accounts/contract/life/people.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('the room of whom an admin suspended is gone, but room admins read why [B-137]', async () => {
  const performer = await site.performer({ live: true });
  const { username } = performer;
  const staff = await site.viewer({ roles: ['site_mod'] });
  const before = await openRoom(site, staff, performer);
  expect(before.shows('This account is suspended. Only its owner and admins can see this room.')).toBe(false);
  await (await site.admin()).call(suspendPerson, { username, suspended: true, reason: 'ticket 12' });
  await site.settle();
  const after = await openPage(site, staff, `/${username}`);
  await after.sees('This account is suspended. Only its owner and admins can see this room.');
  expect((await staff.call(getRoom, { username })).user.status).toBe('SUSPENDED');
  for (const visitor of [await site.viewer(), await site.visitor({ ofAge: true })]) {
    const page = await openPage(site, visitor, `/${username}`, { mayPrint: /404/u });
    await page.find('heading', 'Page not found');
  }
});
