import type { AnyCall } from '#platform/contract/call.ts';
import { getOwnBroadcast } from '#product/broadcast/contract.ts';
import { getHidden, listClearances } from '#product/compliance/contract.ts';
import { getSiteChatRules } from '#product/room-moderation/contract.ts';
import { getOperatorRules } from '#product/site/contract/operator-rules.ts';
import { listConversations } from '#product/support/contract/chat.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** What the account menu and the back office offer, each with a call that the server answers or refuses. */
const OFFERED: Readonly<Record<string, AnyCall>> = {
  'Go live': getOwnBroadcast,
  'End everything and hide me now': getHidden,
};
const BACK_OFFICE: Readonly<Record<string, AnyCall>> = {
  'Sites': getOperatorRules,
  'Support': listConversations,
  'Clearances': listClearances,
  'Blocked words': getSiteChatRules,
};

test('menus offer exactly what the server allows, by the one permission table', async () => {
  const people: readonly Member[] = [
    await site.viewer(),
    await site.performer(),
    await site.viewer({ roles: ['site_mod'] }),
    await site.viewer({ roles: ['test_user'] }),
    await site.admin(),
  ];
  for (const person of people) {
    const may = async ({ path }: AnyCall): Promise<boolean> =>
      (await person.request({ url: `/api/v1${path}` })).statusCode === 200;
    const page = await openPage(site, person, '/');
    await page.press(/’s account$/u, { in: await page.find('banner') });
    for (const [name, call] of Object.entries(OFFERED)) {
      expect([name, page.all('menuitem', name).length > 0]).toEqual([name, await may(call)]);
    }
    const pages = await Promise.all(Object.values(BACK_OFFICE).map(may));
    expect(page.all('menuitem', 'Back office').length > 0).toBe(pages.includes(true));
    if (!pages.includes(true)) continue;
    await page.press('Back office', { role: 'menuitem' });
    const nav = await page.find('navigation', 'Back office');
    for (const [nth, name] of Object.keys(BACK_OFFICE).entries()) {
      expect([name, page.all('link', name, { in: nav }).length > 0]).toEqual([name, pages[nth]]);
    }
  }
});
