import { afterAll, beforeAll, test } from 'vitest';
import { getPreferences, getSubscription, listNotices } from './client.ts';
import { expectAllReads, showsFaces, titled, viewerAt, type ReadCase } from '../testkit/pages/reads/faces.ts';
import { createSite, type TestSite } from '../testkit/site.ts';

const CASES: readonly ReadCase[] = [
  { in: ['notifications-page.tsx'], call: listNotices, way: viewerAt('/notifications') },
  { in: ['preferences-page.tsx'], call: getPreferences, way: viewerAt('/notifications/settings') },
  { in: ['subscription-page.tsx'], call: getSubscription, way: viewerAt('/email/subscription') },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here', () => expectAllReads('notices', CASES));
test.each(titled(CASES))('%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, one) => showsFaces(site, one));
