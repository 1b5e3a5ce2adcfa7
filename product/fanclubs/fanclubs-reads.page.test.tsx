import {
  expectAllReads,
  performerAt,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getAnnouncement, getFans, getOwnClub, listMembers, listMemberships, listPosts } from './client.ts';
import { saveOwnClub } from './contract.ts';

/** A room whose performer has a fan club. */
const club: ReadCase['way'] = async (site) => {
  const performer = await site.performer({ live: true });
  await performer.call(saveOwnClub, {
    enabled: true,
    description: '',
    prices: { supporter: 100, insider: 250, legend: 501 },
    perks: { supporter: [], insider: [], legend: [] },
  });
  return {
    visitor: await site.viewer(),
    at: `/${performer.username}`,
    leads: (page) => page.press('Join the fan club'),
  };
};

const CASES: readonly ReadCase[] = [
  { in: ['own/settings-page.tsx'], call: getOwnClub, way: performerAt('/account/fanclub') },
  {
    in: ['own/settings-page.tsx', 'own/member-list.tsx'],
    call: listMembers,
    way: performerAt('/account/fanclub'),
  },
  { in: ['own/memberships-page.tsx'], call: listMemberships, way: viewerAt('/account/fanclubs') },
  { in: ['fanclub.tsx'], call: getFans, way: club },
  { in: ['posts/posts.tsx'], call: listPosts, way: club },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['announcement.tsx'],
    call: getAnnouncement,
    because: 'news that comes once, above whatever page is open: without it the next page has it',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('fanclubs', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
