import { sayInChat } from '#product/rooms/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { storesDisplayName } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getIgnoredNames, ignoreChanged, ignorePerson, unignorePerson } from './contract/ignores.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('lines of whom a viewer ignores collapse for them alone, are opened, and come back', async () => {
  const [performer, loud, reader] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
  ];
  const { displayName: name } = loud.person;
  const theirs = await loud.joins(performer);
  await site.says(theirs, 'Buy now');
  await site.says(theirs, 'Buy it now');
  const page = await openRoom(site, reader, performer);
  const chat = await page.find('list', 'Chat');
  await page.sees(/: Buy now$/u, { in: chat });
  const [menu] = page.all('button', /^Actions for/u);
  if (menu) await page.click(menu);
  await page.press(`Ignore ${name}`, { role: 'menuitem' });
  await page.sees('2 messages from people you ignore', { in: chat });
  expect(page.shows(/Buy/u, { in: chat })).toBe(false);
  expect(await page.problems()).toEqual([]);
  // The ignored person is not notified, and everybody else still reads them.
  expect(theirs.received(ignoreChanged)).toEqual([]);
  expect(JSON.stringify(theirs.events)).not.toMatch(/ignore/u);
  await page.press('Show', { in: chat });
  await page.sees(/: Buy now$/u, { in: chat });
  // What was said by now is not new.
  await site.passes(5_000);
  await site.says(theirs, 'And now');
  await page.sees('1 message from somebody you ignore', { in: chat });
  // Nor is it read out, as what somebody else says is.
  await site.passes(5_000);
  const log = await page.find('log');
  expect(log.textContent).toBe('');
  await site.says(await (await site.viewer()).joins(performer), 'Good evening');
  await page.sees(/: Good evening$/u, { in: chat });
  await site.passes(5_000);
  await page.until(() => expect(log.textContent).toMatch(/: Good evening$/u));
  const other = await openRoom(site, await site.viewer(), performer);
  await other.sees(/: And now$/u, { in: await other.find('list', 'Chat') });
  const again = await openRoom(site, reader, performer);
  const list = await again.find('list', 'Chat');
  await again.sees('3 messages from people you ignore', { in: list });
  // A change in another tab of the reader's arrives here.
  await (await site.anotherTabOf(reader)).call(unignorePerson, { username: loud.username });
  await site.settle();
  await again.sees(/: And now$/u, { in: list });
  expect(await reader.call(getIgnoredNames, {})).toEqual({ usernames: [] });
});

test('whoever is ignored is not quoted either, until they are ignored no more', async () => {
  const [performer, loud, kind, reader] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
    await site.viewer(),
  ];
  const { id } = await site.says(await loud.joins(performer), 'Buy now');
  (await kind.joins(performer)).send(sayInChat, { message: 'No, thanks', reply_to: id });
  await reader.call(ignorePerson, { username: loud.username });
  const page = await openRoom(site, reader, performer);
  const chat = await page.find('list', 'Chat');
  const quote = `Reply to ${loud.person.displayName}`;
  await page.sees(/: No, thanks$/u, { in: chat });
  await page.sees('1 message from somebody you ignore', { in: chat });
  expect([page.all('button', new RegExp(quote, 'u'), { in: chat }), page.shows(/Buy now/u, { in: chat })])
    .toEqual([[], false]);
  await reader.call(unignorePerson, { username: loud.username });
  const shown = await page.find('button', new RegExp(quote, 'u'), { in: chat });
  expect(shown.textContent).toContain('Buy now');
});

test('the menu of a message stops ignoring its sender, too', async () => {
  const [performer, loud, reader] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
  ];
  const { displayName: name } = loud.person;
  await site.says(await loud.joins(performer), 'Look at me');
  await reader.call(ignorePerson, { username: loud.username });
  const page = await openRoom(site, reader, performer);
  const chat = await page.find('list', 'Chat');
  await page.press('Show', { in: chat });
  await page.sees(/: Look at me$/u, { in: chat });
  await page.press(`Actions for ${name}’s message`);
  await page.find('menuitem', `Stop ignoring ${name}`);
  expect(page.all('menuitem', `Ignore ${name}`)).toEqual([]);
  await page.press(`Stop ignoring ${name}`, { role: 'menuitem' });
  await page.until(async () => expect(await reader.call(getIgnoredNames, {})).toEqual({ usernames: [] }));
  const again = await openRoom(site, reader, performer);
  await again.sees(/: Look at me$/u, { in: await again.find('list', 'Chat') });
});

test('the card of somebody in the list of users ignores them, and stops it', async () => {
  const [performer, loud] = [await site.performer({ live: true }), await site.viewer()];
  const { displayName: name } = loud.person;
  await site.says(await loud.joins(performer), 'Buy now');
  const page = await openRoom(site, performer, performer);
  /** Presses a button on the card of the person who is ignored, and reads the chat. */
  const onCard = async (press: string, offered: string): Promise<HTMLElement> => {
    await page.press(/^Users\b/u);
    await page.press(new RegExp(loud.username, 'u'), { in: await page.find('list', 'In this room') });
    const card = await page.find('dialog', name);
    await page.press(press, { in: card });
    await page.find('button', offered, { in: card });
    await page.press('Close', { in: card });
    await page.press(/^Chat\b/u);
    return page.find('list', 'Chat');
  };
  const ignored = await onCard(`Ignore ${name}`, `Stop ignoring ${name}`);
  await page.sees('1 message from somebody you ignore', { in: ignored });
  expect(page.shows(/Buy now/u, { in: ignored })).toBe(false);
  expect(await performer.call(getIgnoredNames, {})).toEqual({ usernames: [loud.username] });
  const back = await onCard(`Stop ignoring ${name}`, `Ignore ${name}`);
  await page.sees(/: Buy now$/u, { in: back });
  expect(page.shows(/you ignore/u, { in: back })).toBe(false);
  expect(await performer.call(getIgnoredNames, {})).toEqual({ usernames: [] });
  expect(await page.problems()).toEqual([]);
});

test('a card on a page without a room ignores its person, and stops it', async () => {
  const [performer, loud] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
  await loud.tips(performer, 20);
  await site.settle();
  const page = await openPage(site, performer, '/account/tips');
  await page.press(loud.username);
  const card = await page.find('dialog');
  for (const [press, offered, usernames] of [
    ['Ignore', 'Stop ignoring', [loud.username]],
    ['Stop ignoring', 'Ignore', []],
  ] as const) {
    await page.press(`${press} ${loud.username}`, { in: card });
    await page.find('button', `${offered} ${loud.username}`, { in: card });
    expect(await performer.call(getIgnoredNames, {})).toEqual({ usernames });
  }
});

/** Amounts of the tips shown over the video. */
const overVideo = (): readonly number[] =>
  [...document.querySelectorAll('[data-tip-seen]')].map((tip) => Number(tip.getAttribute('data-tip-seen')));

test(
  'a tip of somebody ignored collapses, flies over no video and is silent, but not for the performer',
  async () => {
    const tones = countsTones();
    const [performer, loud, kind, reader] = [
      await site.performer({ live: true }),
      await site.viewer({ tokens: 1_000 }),
      await site.viewer({ tokens: 500 }),
      await site.viewer(),
    ];
    for (const who of [reader, performer]) await who.call(ignorePerson, { username: loud.username });
    const page = await openRoom(site, reader, performer);
    const chat = await page.find('list', 'Chat');
    await loud.tips(performer, 400);
    await page.sees('1 message from somebody you ignore', { in: chat });
    await page.idle();
    expect([page.shows(/400/u, { in: chat }), overVideo(), tones.count]).toEqual([false, [], 0]);
    // A later tip by somebody else is shown and sounds; the ignored one would have been shown before it.
    await kind.tips(performer, 30);
    await page.sees(/tipped 30 tokens/u, { in: chat });
    await page.until(() => expect(overVideo()).toEqual([30]));
    const ofOne = tones.count;
    expect(ofOne).toBeGreaterThan(0);
    await page.press('Show', { in: chat });
    await page.sees(/tipped 400 tokens/u, { in: chat });
    expect([overVideo(), tones.count]).toEqual([[30], ofOne]);
    // A performer gets every tip of their own, with its sound.
    const own = await openRoom(site, performer, performer);
    await loud.tips(performer, 410);
    await own.sees(/tipped 410 tokens/u, { in: await own.find('list', 'Chat') });
    await own.until(() => expect(overVideo()).toEqual([410]));
    expect(tones.count).toBeGreaterThan(ofOne);
  },
);

test('whom one ignores is listed in the account, and read again from there', async () => {
  const [reader, loud] = [await site.viewer(), await site.viewer()];
  const { displayName: name } = loud.person;
  await reader.call(ignorePerson, { username: loud.username });
  const settings = await openPage(site, reader, '/account/settings');
  await settings.press('People you ignore', { role: 'link' });
  await settings.sees(name);
  expect([settings.path, await settings.problems()]).toEqual(['/account/ignored', []]);
  await settings.press(`Stop ignoring ${name}`);
  await settings.sees(/^You aren’t ignoring anyone\./u);
  expect(await reader.call(getIgnoredNames, {})).toEqual({ usernames: [] });
});

test('staff have a badge with their name that nobody has who is called the same', async () => {
  const [performer, staff, impostor] = [
    await site.performer({ live: true }),
    await site.viewer({ roles: ['site_mod'] }),
    await site.viewer(),
  ];
  for (const { id } of [staff, impostor]) {
    await site.tx((tx) => storesDisplayName(tx, id, 'Support ✓'));
  }
  await site.says(await staff.joins(performer), 'of the site');
  await site.says(await impostor.joins(performer), 'of nobody');
  const page = await openRoom(site, performer, performer);
  const chat = await page.find('list', 'Chat');
  await page.sees(/of nobody$/u, { in: chat });
  const textOf = (words: string): string | undefined =>
    page.all('listitem', undefined, { in: chat }).map(({ textContent }) => textContent ?? '')
      .find((text) => text.includes(words));
  expect(textOf('of the site')).toMatch(/StaffSupport ✓/u);
  expect(textOf('of nobody')).not.toMatch(/Staff/u);
  await page.press(/^Users\b/u);
  await expect.poll(async () => {
    await site.passes(5_000);
    return page.all('list', 'In this room').flatMap((list) => page.all('button', /Support/u, { in: list }))
      .map(({ textContent }) => /Staff/u.test(textContent ?? '')).toSorted();
  }).toEqual([false, true]);
  const list = await page.find('list', 'In this room');
  await page.press(/Staff/u, { in: list });
  const card = await page.find('dialog');
  await page.sees(`@${staff.username}`, { in: card });
  await page.sees('Staff', { in: card });
  expect(await page.problems()).toEqual([]);
});
