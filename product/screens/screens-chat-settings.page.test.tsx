import { uuidV4 } from '#platform/data/ids.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { updateSettings, type SettingsInput } from '#product/accounts/contract/settings.ts';
import { saveRoomSettings, sendNotice } from '#product/rooms/contract/controls.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { countsTones } from '#product/testkit/pages/window/tones.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const chat = (page: Page) => page.find('list', 'Chat');
/** Chooses options of a list of the chat's settings, in turn, and checks that each is saved. */
async function chooses(
  who: Member,
  label: string,
  options: readonly (readonly [string, Partial<SettingsInput>])[],
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
    ['Serif', 'serif', 'font-serif'],
    ['Monospace', 'mono', 'font-mono'],
    ['Easy to read', 'wide', 'font-sans tracking-'],
    ['Inter', 'sans', 'font-sans'],
  ] as const;
  await chooses(viewer, 'Font', fonts.map(([name, font]) => [name, { font_family: font }]));
  const page = await openRoom(site, viewer, performer);
  const list = await chat(page);
  for (const [, font, drawn] of fonts) {
    await viewer.call(updateSettings, { font_family: font });
    await page.until(() =>
      expect([list.className.includes(drawn), /tracking/u.test(list.className)])
        .toEqual([true, font === 'wide'])
    );
  }
});

test('the chat shows tips and notices, one of them or neither, as the settings say [A-185]', async () => {
  const [viewer, tipper] = [await site.viewer(), await site.viewer({ tokens: 100 })];
  const kinds = [
    ['Only tips', 'tips', true, false],
    ['Only notices', 'notices', false, true],
    ['Nothing', 'none', false, false],
    ['Tips and notices', 'all', true, true],
  ] as const;
  await chooses(
    viewer,
    'Besides messages, show',
    kinds.map(([name, notice]) => [name, { chat_notice: notice }]),
  );
  const page = await openRoom(site, viewer, performer);
  const list = await chat(page);
  await performer.call(sendNotice, { username: performer.username, message: 'Be kind to each other' });
  await tipper.tips(performer, 25);
  await site.says(await tipper.joins(performer), 'what a night');
  for (const [, notice, hasTips, hasNotices] of kinds) {
    await viewer.call(updateSettings, { chat_notice: notice });
    await page.until(() =>
      expect([
        notice,
        page.shows(/tipped 25 tokens/u, { in: list }),
        page.shows(/Be kind to each other/u, { in: list }),
        page.shows(/what a night/u, { in: list }),
      ]).toEqual([notice, hasTips, hasNotices, true])
    );
  }
});

test('a room lists people by what they tip, or by name, as the settings say [A-179]', async () => {
  const viewer = await site.viewer();
  const tipper = await site.viewer({ username: 'zora_listed', tokens: 50 });
  const rich = await site.viewer({ username: 'bela_listed', tokens: 50 });
  const poor = await site.viewer({ username: 'adam_listed' });
  await performer.call(saveRoomSettings, { username: performer.username, isUserListVisible: true });
  for (const who of [tipper, rich, poor]) await who.joins(performer);
  await tipper.call(sendTip, { username: performer.username, amount: 25 }, { idempotencyKey: uuidV4() });
  const order = async (): Promise<readonly string[]> => {
    const page = await openRoom(site, viewer, performer);
    await page.press(/^Users\b/u);
    await page.find('list', 'In this room');
    await site.passes(5_000);
    return page.until(() => {
      const names = page.all('button', /_listed/u).map(({ textContent }) =>
        /(zora|bela|adam)_listed/u.exec(textContent ?? '')?.[1] ?? ''
      );
      if (names.length < 3) throw new Error('not everybody is listed');
      return names;
    });
  };
  expect(await order()).toEqual(['zora', 'bela', 'adam']);
  const settings = await openPage(site, viewer, '/account/settings');
  const choice = await settings.field('Sort people in a room') as HTMLSelectElement;
  expect([...choice.options].map(({ text }) => text).toSorted()).toEqual(['By name', 'By what they tip']);
  for (const wrong of ['name', '', null]) {
    const { statusCode } = await viewer.request({
      method: 'POST',
      url: '/api/v1/user/settings',
      payload: { chat_user_sort: wrong },
    });
    expect(statusCode).toBe(422);
  }
  for (const [name, sort, expected] of [
    ['By name', 'username', ['adam', 'bela', 'zora']],
    ['By what they tip', 'tokens', ['zora', 'bela', 'adam']],
  ] as const) {
    await chooses(viewer, 'Sort people in a room', [[name, { chat_user_sort: sort }]]);
    expect(await order()).toEqual(expected);
  }
});

type Given = string | boolean;
type Saved = Partial<SettingsInput>;
/** A setting of the room's chat: the first and second choice, and what the account stores for each. */
type Row = readonly [label: string, first: Given, then: Given, saved?: readonly [Saved, Saved]];
const OF_ALL: readonly Row[] = [
  ['Text size', 'Tiny', 'Huge', [{ font_size: '9px' }, { font_size: '18px' }]],
  ['Font', 'Monospace', 'Serif', [{ font_family: 'mono' }, { font_family: 'serif' }]],
  ['Volume', '0%', '100%', [{ volume_tip: 0 }, { volume_tip: 100 }]],
  ['Show times', true, false],
  ['Show tips', false, true, [{ chat_notice: 'notices' }, { chat_notice: 'tips' }]],
  ['Show notices', false, true, [{ chat_notice: 'none' }, { chat_notice: 'all' }]],
  ['Calm mode: no tip animations', true, false, [{ calm_mode: true }, { calm_mode: false }]],
  ['Compact', true, false],
  ['Mute sounds in this room', true, false],
];
const OF_MEMBERS: readonly Row[] = [
  ['Text color', '#ff8800', '#00aa44', [{ text_color: '#ff8800' }, { text_color: '#00aa44' }]],
  ['Turn smileys into emoji', false, true, [{ chat_emoticons: 'NO' }, { chat_emoticons: 'YES' }]],
];

async function opensChatSettings(who: Visitor) {
  const page = await openRoom(site, who, performer);
  await page.press('Chat settings');
  return { page, panel: await page.find('region', 'Chat settings') };
}

/** Gives a setting a value, as a person does. */
async function gives(page: Page, panel: HTMLElement, [label, first]: Row, value: Given): Promise<void> {
  const field = await page.field(label, { in: panel }) as HTMLInputElement | HTMLSelectElement;
  if (typeof value === 'boolean') return page.click(field);
  if (field instanceof HTMLSelectElement) return page.choose(label, value, { in: panel });
  if (field.type === 'range') {
    field.focus();
    return page.keys(value === first ? '{Home}' : '{End}');
  }
  return page.pick(label, value, { in: panel });
}

/** What a setting shows. */
async function shownBy(page: Page, panel: HTMLElement, label: string): Promise<Given> {
  const field = await page.field(label, { in: panel }) as HTMLInputElement | HTMLSelectElement;
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? '';
  if (field.type === 'checkbox') return field.checked;
  return field.type === 'range' ? field.getAttribute('aria-valuetext') ?? '' : field.value;
}

test.each(['member', 'guest'])(
  'each chat setting is there again when a %s comes back [A-185, A-187]',
  async (kind) => {
    onTestFinished(() => localStorage.clear());
    countsTones();
    const member = kind === 'member' ? await site.viewer() : null;
    const who = member ?? await site.visitor({ ofAge: true });
    const rows = member ? [...OF_ALL, ...OF_MEMBERS] : OF_ALL;
    for (const round of [0, 1] as const) {
      const { page, panel } = await opensChatSettings(who);
      expect(panel.querySelectorAll('input, select, textarea')).toHaveLength(rows.length);
      for (const row of rows) {
        const [label, ...given] = row;
        await gives(page, panel, row, given[round]);
        await page.until(async () => expect(await shownBy(page, panel, label)).toBe(given[round]));
        const saved = row[3]?.[round];
        if (member && saved) {
          await page.until(async () =>
            expect((await member.call(getCurrentUser, {})).settings).toMatchObject(saved)
          );
        }
      }
      const back = await opensChatSettings(who);
      for (const [label, ...given] of rows) {
        await back.page.until(async () =>
          expect([label, await shownBy(back.page, back.panel, label)])
            .toEqual([label, given[round]])
        );
      }
    }
  },
);

test('settings that change while others are being saved are sent after them', async () => {
  const viewer = await site.viewer();
  const { page, panel } = await opensChatSettings(viewer);
  const saves = () =>
    page.network.sent.filter((text) => text.startsWith('POST ') && text.includes('/user/settings'));
  const release = page.network.holdsAnswers(/user\/settings/u);
  const size = OF_ALL.find(([label]) => label === 'Text size');
  const font = OF_ALL.find(([label]) => label === 'Font');
  if (!size || !font) throw new Error('no such setting');
  await gives(page, panel, size, 'Huge');
  await page.until(() => expect(saves()).toHaveLength(1));
  await gives(page, panel, size, 'Tiny');
  await gives(page, panel, font, 'Serif');
  expect(saves()).toHaveLength(1);
  expect(await shownBy(page, panel, 'Text size')).toBe('Tiny');
  release();
  await page.until(() => expect(saves()).toHaveLength(3));
  await page.until(async () =>
    expect((await viewer.call(getCurrentUser, {})).settings)
      .toMatchObject({ font_size: '9px', font_family: 'serif' })
  );
  expect([await shownBy(page, panel, 'Text size'), await shownBy(page, panel, 'Font')])
    .toEqual(['Tiny', 'Serif']);
});
