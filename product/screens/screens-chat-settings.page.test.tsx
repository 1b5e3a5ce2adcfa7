import { afterAll, beforeAll, expect, test } from 'vitest';
import { getCurrentUser } from '../accounts/contract.ts';
import { updateSettings, type SettingsInput } from '../accounts/contract/settings.ts';
import { saveRoomSettings, sendNotice } from '../rooms/contract.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const chat = (page: Page) => page.find('list', 'Chat');
/** Chooses options of a list of the chat's settings, in turn, and sees that each is saved. */
async function chooses(
  who: Member, label: string, options: readonly (readonly [string, Partial<SettingsInput>])[],
): Promise<void> {
  const page = await openPage(site, who, '/account/settings');
  const part = await page.find('region', 'Chat');
  for (const [name, saved] of options) {
    await page.choose(label, name, { in: part });
    await page.press('Save', { in: part });
    await page.until(async () => expect((await who.call(getCurrentUser, {})).settings).toMatchObject(saved));
  }
}

test('the chat is written in one of four typefaces, which the settings name [A-181]', async () => {
  const viewer = await site.viewer();
  const fonts = [
    ['Serif', 'serif', 'font-serif'], ['Monospace', 'mono', 'font-mono'],
    ['Easy to read', 'wide', 'font-sans tracking-'], ['Inter', 'sans', 'font-sans'],
  ] as const;
  await chooses(viewer, 'Font', fonts.map(([name, font]) => [name, { font_family: font }]));
  const page = await openRoom(site, viewer, performer);
  const list = await chat(page);
  for (const [, font, drawn] of fonts) {
    await viewer.call(updateSettings, { font_family: font });
    await page.until(() => expect([list.className.includes(drawn), /tracking/u.test(list.className)])
      .toEqual([true, font === 'wide']));
  }
});

test('the chat shows tips and notices, one of them or neither, as the settings say [A-185]', async () => {
  const [viewer, tipper] = [await site.viewer(), await site.viewer({ tokens: 100 })];
  const kinds = [
    ['Only tips', 'tips', true, false], ['Only notices', 'notices', false, true],
    ['Nothing', 'none', false, false], ['Tips and notices', 'all', true, true],
  ] as const;
  await chooses(viewer, 'Besides messages, show',
    kinds.map(([name, notice]) => [name, { chat_notice: notice }]));
  const page = await openRoom(site, viewer, performer);
  const list = await chat(page);
  await performer.call(sendNotice, { username: performer.username, message: 'Be kind to each other' });
  await tipper.tips(performer, 25);
  await site.says(await tipper.joins(performer), 'what a night');
  for (const [, notice, hasTips, hasNotices] of kinds) {
    await viewer.call(updateSettings, { chat_notice: notice });
    await page.until(() => expect([
      notice, page.shows(/tipped 25 tokens/u, { in: list }),
      page.shows(/Be kind to each other/u, { in: list }), page.shows(/what a night/u, { in: list }),
    ]).toEqual([notice, hasTips, hasNotices, true]));
  }
});

test('a room lists people by what they tip, or by name, as the settings say [A-179]', async () => {
  const viewer = await site.viewer();
  const rich = await site.viewer({ username: 'zora_listed', tokens: 50 });
  const poor = await site.viewer({ username: 'adam_listed' });
  await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: true });
  for (const who of [rich, poor]) await who.joins(performer);
  const order = async (): Promise<readonly string[]> => {
    const page = await openRoom(site, viewer, performer);
    await page.press(/^Users\b/u);
    await page.find('list', 'In this room');
    await site.passes(5_000);
    return page.until(() => {
      const names = page.all('button', /_listed/u).map(({ textContent }) =>
        /(zora|adam)_listed/u.exec(textContent ?? '')?.[1] ?? '');
      if (names.length < 2) throw new Error('not everybody is listed');
      return names;
    });
  };
  expect(await order()).toEqual(['zora', 'adam']);
  for (const [name, sort, expected] of [
    ['By name', 'username', ['adam', 'zora']], ['By what they tip', 'tokens', ['zora', 'adam']],
  ] as const) {
    await chooses(viewer, 'Sort people in a room', [[name, { chat_user_sort: sort }]]);
    expect(await order()).toEqual(expected);
  }
});
