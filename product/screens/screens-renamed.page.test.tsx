import { DAY_MS } from '#platform/time/units.ts';
import { changeUsername } from '#product/accounts/contract/life/username.ts';
import { browseLive } from '#product/browse/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  performer = await site.performer({ username: 'luna-before', live: true });
});
afterAll(() => site.close());

/** Status and redirect of a document, for somebody past the entry gate or, as a crawler, before it. */
async function documentAt(path: string, ofAge: boolean) {
  const visitor = await site.visitor({ ofAge, opened: ofAge });
  const { statusCode, headers } = await visitor.request({ method: 'GET', url: path });
  return [statusCode, headers.location ?? null];
}

test('a performer who changes their name takes rooms, listings and links along', async () => {
  const viewer = await site.viewer({ tokens: 100 });
  const page = await openRoom(site, viewer, performer);
  await performer.call(changeUsername, { username: 'luna-after' });
  await site.settle();
  // The open room continues under the new name, and takes tips.
  await page.until(() => expect(page.path).toBe('/luna-after'));
  await page.until(() => expect(page.network.hasJoined('luna-after')).toBe(true));
  await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
  await page.sees(new RegExp(`${viewer.username} tipped 25 tokens`, 'u'));
  // The old name still leads to the person.
  await viewer.tips({ username: 'luna-before' }, 25);
  const { userList } = await viewer.call(browseLive, { path: 'girls' });
  expect(userList.map(({ username }) => username)).toEqual(['luna-after']);
  page.leave();
  for (const ofAge of [true, false]) {
    expect(await documentAt('/luna-before', ofAge)).toEqual([301, '/luna-after']);
    expect(await documentAt('/luna-before/bio', ofAge)).toEqual([301, '/luna-after/bio']);
    expect(await documentAt('/luna-after', ofAge)).toEqual([200, null]);
    expect(await documentAt('/luna-after/bio', ofAge)).toEqual([200, null]);
  }
  const bio = await openPage(site, viewer, '/luna-before/bio');
  await bio.sees('@luna-after');
  expect(bio.path).toBe('/luna-after/bio');
});

test('the old name of somebody whom this visitor may not see says nothing, nor does a viewer’s', async () => {
  const hidden = await site.performer({ username: 'vera-before', cleared: false });
  await hidden.call(changeUsername, { username: 'vera-after' });
  const viewer = await site.viewer({ username: 'fan-before' });
  await viewer.call(changeUsername, { username: 'fan-after' });
  await site.settle();
  for (const name of ['vera-before', 'fan-before']) {
    for (const path of [`/${name}`, `/${name}/bio`]) {
      const nobody = path.replace(name, 'nobody-here');
      for (const ofAge of [true, false]) {
        expect([path, await documentAt(path, ofAge)]).toEqual([path, await documentAt(nobody, ofAge)]);
      }
    }
  }
});

test('after 90 days the old name leads nowhere', async () => {
  const mira = await site.performer({ username: 'mira-before' });
  await mira.call(changeUsername, { username: 'mira-after' });
  await site.settle();
  expect(await documentAt('/mira-before', true)).toEqual([301, '/mira-after']);
  await site.passes(90 * DAY_MS);
  expect(await documentAt('/mira-before', true)).toEqual([404, null]);
});
