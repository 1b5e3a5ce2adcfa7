import {
  adminAt,
  expectAllReads,
  inRoom,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getChatRules, getHeld, getModeration, getSiteChatRules } from './client.ts';

type Leads = NonNullable<Awaited<ReturnType<ReadCase['way']>>['leads']>;

/** A performer in their own room. */
const inOwnRoom = (leads: Leads): ReadCase['way'] => async (site) => {
  const performer = await site.performer({ live: true });
  return { visitor: performer, at: `/${performer.username}`, leads };
};
const opensModeration: Leads = (page) => page.press(/^Moderate\b/u);

const CASES: readonly ReadCase[] = [
  { in: ['site-words-page.tsx'], call: getSiteChatRules, way: adminAt('/admin/blocked-words') },
  { in: ['live.ts'], call: getChatRules, way: inRoom(), isSmall: true },
  { in: ['panel/held-queue.tsx'], call: getHeld, way: inOwnRoom(opensModeration) },
  {
    in: ['panel/restricted-list.tsx'],
    call: getModeration,
    way: inOwnRoom(async (page) => {
      await opensModeration(page);
      await page.press('People', { role: 'tab' });
    }),
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('room-moderation', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
