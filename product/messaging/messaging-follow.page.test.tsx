import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow, hidePerformer, listFollowed, unfollow } from './contract.ts';

/** The password of every testkit account. */
const PASSWORD = 'correct horse battery';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('a member follows from the room and ends it there, and the count goes along', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  await (await site.viewer()).call(follow, { username });
  const page = await openRoom(site, viewer, performer);
  await page.press('Follow 1 follower');
  await page.find('button', 'Following 2 followers');
  expect((await viewer.call(listFollowed, {})).performers).toMatchObject([{ username }]);
  await page.goto('/followed');
  await page.find('link', new RegExp(performer.person.displayName, 'u'));
  await page.goto(`/${username}`);
  await page.press('Following 2 followers');
  await page.find('button', 'Follow 1 follower');
  expect((await viewer.call(listFollowed, {})).performers).toEqual([]);
});

test('what another tab of the viewer changes shows at once', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  const page = await openRoom(site, viewer, performer);
  await page.find('button', 'Follow 0 followers');
  await viewer.call(follow, { username });
  await page.find('button', 'Following 1 follower');
  await viewer.call(unfollow, { username });
  await page.find('button', 'Follow 0 followers');
});

test('a guest who follows or hides is asked to log in, and nothing is sent', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  const name = performer.person.displayName;
  for (const [button, reason] of [
    ['Follow 0 followers', 'Log in to follow. You stay in this room.'],
    [`Hide ${name}`, 'Log in to hide performers. You stay in this room.'],
  ] as const) {
    await page.press(button);
    const prompt = await page.find('dialog', 'Log in');
    await page.sees(reason, { in: prompt });
    await page.keys('{Escape}');
    await page.gone('dialog', 'Log in');
  }
  expect(page.network.sent.filter((sent) => /\/user\/(?:follow|hide)\//u.test(sent))).toEqual([]);
});

test('performers see how many follow, and those who take no followers have no button', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  await viewer.call(follow, { username });
  const own = await openRoom(site, performer, performer);
  await own.sees('1 follower');
  expect(own.all('button', /follow/iu)).toEqual([]);
  await performer.call(saveRoomSettings, { username, followEnabled: false });
  const page = await openRoom(site, viewer, performer);
  // A follower may stop following; then there is no button any more.
  await page.press('Following 1 follower');
  await page.gone('button', /follow/iu);
});

test('who hides a performer in their room finds them in the list, and shows them again', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username } = performer;
  const name = performer.person.displayName;
  const page = await openRoom(site, viewer, performer);
  await page.press(`Hide ${name}`);
  await page.sees(`You’re hiding ${name}.`);
  await page.press('Show again');
  await page.press(`Hide ${name}`);
  await page.press('Hidden performers', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/account/hidden'));
  await page.find('link', name);
  await page.press(`Show ${name} again`);
  await page.sees(`${name} is back in your listings.`);
  await page.sees(/^You’re not hiding anyone\./u);
  await viewer.call(hidePerformer, { username });
  const other = await openPage(site, await site.viewer(), '/account/hidden');
  await other.sees(/^You’re not hiding anyone\./u);
});

test('a guest who logs in to follow stays in the room and follows', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  await page.press('Follow 0 followers');
  const prompt = await page.find('dialog', 'Log in');
  await page.fill('Username or email', viewer.username, { in: prompt });
  await page.fill('Password', PASSWORD, { in: prompt });
  await page.press('Log in', { in: prompt });
  await page.find('button', 'Following 1 follower');
  expect(page.path).toBe(`/${performer.username}`);
});
