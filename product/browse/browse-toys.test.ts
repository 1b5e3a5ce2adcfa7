import { saveListingProfile } from '#product/performers/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browseLive } from './contract.ts';
import { getBio, multiFilter } from './contract/search.ts';
import { PUBLIC_LISTINGS } from './rules/sharing.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
  // No form sets it, but a direct API call can.
  await performer.call(saveListingProfile, { control_rate: 40 });
  await site.settle();
});
afterAll(() => site.close());

it('control of toys is in no listing, tile or link before it exists, whatever a performer says', async () => {
  let guest = await site.visitor({ ofAge: true });
  // Every listing that the site map may name, and its links. A caller may read only so many a minute.
  for (const [at, path] of PUBLIC_LISTINGS.entries()) {
    if (at % 50 === 49) guest = await site.visitor({ ofAge: true });
    const { userList, exploreList = [] } = await guest.call(browseLive, { path: path.slice(1) });
    expect([path, userList.some(({ flagList }) => flagList.includes('control'))]).toEqual([path, false]);
    expect(exploreList.filter((text) => text.includes('control'))).toEqual([]);
    if (path.endsWith('/control-her')) expect([path, userList]).toEqual([path, []]);
  }
  const { body } = await guest.request({ method: 'GET', url: '/sitemap/listings.xml' });
  expect([body.includes('/girls/new'), body.includes('control')]).toEqual([true, false]);
});

it('nor is it counted, filtered or named on a performer’s page', async () => {
  const guest = await site.visitor({ ofAge: true });
  const { totalCount, counts } = await guest.call(multiFilter, {});
  expect([totalCount, counts.controlHerRate]).toEqual([1, {}]);
  expect((await guest.call(multiFilter, { chRate: '19-60' })).totalCount).toBe(0);
  expect(await guest.call(getBio, { username: performer.username })).toMatchObject({ controlRate: null });
});
