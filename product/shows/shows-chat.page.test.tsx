import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRoom } from '../testkit/pages/open-page.tsx';
import { mediaPasses, privatePerformer, startsPrivate } from '../testkit/shows/private-show.ts';
import { spiedShow, spies, stopsSpying } from '../testkit/shows/spying.ts';
import { createSite, type TestSite } from '../testkit/site.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const says = async (page: Page, text: string): Promise<void> => {
  await page.fill('Message', text);
  await page.press('Send');
};
const reads = async (page: Page, text: string): Promise<HTMLElement> =>
  page.until(async () => {
    const list = await page.find('list', 'Chat');
    return list.textContent?.includes(text) ? list : false as never;
  });

test('in a private show one writes to the performer alone, and to the room by choosing so', async () => {
  const performer = await privatePerformer(site);
  const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer()];
  const crowd = await other.joins(performer);
  await startsPrivate(viewer, performer);
  const page = await openRoom(site, viewer, performer, { width: 390 });
  const chats = await page.find('group', 'Which chat');
  expect(page.all('button', undefined, { in: chats }).map((one) => one.getAttribute('aria-pressed')))
    .toEqual(['true', 'false']);
  const name = performer.person.displayName;
  await page.sees(`Only you and ${name} can read this chat.`);
  await says(page, 'between us');
  await reads(page, 'between us');
  await page.press('Public chat', { in: chats });
  await page.sees('Everyone in the room can read this chat.');
  await says(page, 'hello everybody');
  const list = await reads(page, 'hello everybody');
  expect(list.textContent).not.toContain('between us');
  // The room got what was said to it, and nothing else.
  await expect.poll(() => JSON.stringify(crowd.events)).toContain('hello everybody');
  expect(JSON.stringify(crowd.events)).not.toContain('between us');
  await page.press('Private chat', { in: chats });
  await reads(page, 'between us');
  expect(await page.problems()).toEqual([]);
});

test('both read that spies may read along, and a spy reads and writes nothing', async () => {
  const { performer, viewer } = await spiedShow(site);
  const page = await openRoom(site, viewer, performer);
  const name = performer.person.displayName;
  const overheard = `You and ${name} can read this chat, and so can viewers who spy on the show.`;
  await page.sees(overheard);
  const { spy } = await spies(site, performer);
  await mediaPasses(site, performer, 30);
  await says(page, 'who is there');
  await reads(page, 'who is there');
  const theirs = await openRoom(site, spy, performer);
  await theirs.sees('You’re watching along: you can read what’s said from now on, but not write here.');
  await theirs.fill('Message', 'hello you two');
  await theirs.keys('{Enter}');
  await theirs.sees('You can only read here');
  await site.settle();
  expect(theirs.network.texts.some(({ text }) => text.includes('hello you two'))).toBe(false);
  await stopsSpying(spy, performer);
  await theirs.until(() => expect(theirs.all('group', 'Which chat')).toEqual([]));
});
