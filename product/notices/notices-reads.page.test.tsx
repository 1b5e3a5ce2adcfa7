import {
  expectAllReads,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getPreferences, getPush, getSubscription, listNotices } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['notifications-page.tsx'], call: listNotices, way: viewerAt('/notifications') },
  { in: ['preferences-page.tsx'], call: getPreferences, way: viewerAt('/notifications/settings') },
  { in: ['subscription-page.tsx'], call: getSubscription, way: viewerAt('/email/subscription') },
];

const QUIET: readonly QuietRead[] = [
  {
    in: ['push/sdk.ts'],
    call: getPush,
    because: 'by the switch of push, which says that it did not load: notices-push.page.test.tsx',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('notices', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
