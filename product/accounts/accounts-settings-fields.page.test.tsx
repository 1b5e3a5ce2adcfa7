import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
const people: Record<'viewer' | 'performer' | 'moderator', Member | null> = {
  viewer: null,
  performer: null,
  moderator: null,
};
beforeAll(async () => {
  site = await createSite();
  people.viewer = await site.viewer({ tokens: 50 });
  people.performer = await site.performer();
  // Only site moderators may choose every level of hiding.
  people.moderator = await site.viewer({ roles: ['site_mod'] });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
/** A value for a field: an option's text, a text, a tick; for a slider, the key that moves it there. */
type Given = string | boolean;

/**
 * Each field of each section of the settings, with two values to enter. The field then shows what was
 * entered, unless a third and a fourth value say otherwise.
 */
const SECTIONS: readonly {
  readonly title: string;
  readonly who: keyof typeof people;
  readonly fields: readonly (readonly [label: string, first: Given, then: Given, ...shown: string[]])[];
}[] = [
  {
    title: 'Profile',
    who: 'performer',
    fields: [
      ['Display name', 'Luna of the Lake', 'Luna'],
      ['About', 'Piano every night.', ''],
      ['Instagram username', 'luna_v', ''],
      ['Bluesky handle', 'luna.bsky.social', ''],
      ['Amazon wish list', 'https://www.amazon.de/hz/wishlist/ls/ABC', ''],
    ],
  },
  {
    title: 'Contact',
    who: 'performer',
    fields: [
      ['Phone', '+491701234567', ''],
      ['X (Twitter) username', 'luna', 'luna_two'],
      ['Link to it on my profile', true, false],
    ],
  },
  { title: 'Contact', who: 'viewer', fields: [['Phone', '+491701234567', '']] },
  {
    title: 'Browsing',
    who: 'viewer',
    fields: [
      ['Home page', 'My own sections', 'By section'],
      ['Swipe to go to the next performer', false, true],
      ['Keep the video in a corner while scrolling', false, true],
    ],
  },
  {
    title: 'Chat',
    who: 'viewer',
    fields: [
      ['Font', 'Monospace', 'Easy to read'],
      ['Text size', 'Tiny', 'Large'],
      ['Text color', '#ff8800', '#00aa44'],
      ['Besides messages, show', 'Only notices', 'Nothing'],
      ['Sort people in a room', 'By name', 'By what they tip'],
      ['Volume of tips', '{End}', '{Home}', '100%', '0%'],
      ['Turn smileys into emoji', false, true],
      ['Calm mode: no tip animations', true, false],
    ],
  },
  {
    title: 'Your room',
    who: 'performer',
    fields: [
      ['Who can chat', 'People with tokens', 'People who have ever tipped you'],
      ['Who is on camera', 'Me and others', 'Only me'],
      ['Moderators stay for', '30', '365'],
      ['Show me on the home page', false, true],
    ],
  },
  {
    title: 'Privacy',
    who: 'moderator',
    fields: [
      ['In the list of people in a room', 'Nobody sees me', 'Only performers see me'],
    ],
  },
  {
    title: 'Leaving quickly',
    who: 'viewer',
    fields: [
      ['Key', 'F9', 'No key'],
      ['Page to show', 'https://weather.example/today', ''],
      ['Discreet tabs: a neutral title and no icon', true, false],
    ],
  },
  {
    title: 'Featured shows',
    who: 'viewer',
    fields: [
      ['Tell me about featured shows', 'By push notification', 'Not at all'],
    ],
  },
  { title: 'Spending', who: 'viewer', fields: [['Daily limit in tokens', '40', '30']] },
];
/** Sections with fields in dialogs, with calls of their own, or that save at each choice. */
const OTHERS = [
  'Account',
  'Language and appearance',
  'Password',
  'Two-step log-in',
  'Passkeys',
  'Linked accounts',
  'Sessions',
  'Your data',
  'Delete account',
];

/** Enters a value in a field, as a person does. */
async function gives(page: Page, section: HTMLElement, label: string, value: Given): Promise<void> {
  const field = await page.field(label, { in: section }) as Field;
  if (typeof value === 'boolean') {
    if ((field as HTMLInputElement).checked !== value) await page.click(field);
  } else if (field instanceof HTMLSelectElement) await page.choose(label, value, { in: section });
  else if (field.type === 'range') {
    field.focus();
    await page.keys(value);
  } else if (field.type === 'color') await page.pick(label, value, { in: section });
  else await page.fill(label, value, { in: section });
}

/** What a field shows. */
async function shownBy(page: Page, section: HTMLElement, label: string): Promise<Given> {
  const field = await page.field(label, { in: section }) as Field;
  if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? '';
  if (field.type === 'checkbox') return (field as HTMLInputElement).checked;
  return field.type === 'range' ? field.getAttribute('aria-valuetext') ?? '' : field.value;
}

const stored = (): string => JSON.stringify(Object.entries(localStorage).toSorted());

async function opens(who: Member, title: string): Promise<{ page: Page; section: HTMLElement }> {
  const page = await openPage(site, who, '/account/settings');
  return { page, section: await page.find('region', title) };
}

describe('each field of the settings is saved with its section, and shown to who comes back', () => {
  test.each(SECTIONS)('$title of a $who', async ({ title, who, fields }) => {
    onTestFinished(() => localStorage.clear());
    const person = people[who] as Member;
    for (const round of [0, 1] as const) {
      const { page, section } = await opens(person, title);
      const all = section.querySelectorAll('input:not([type=file]), select, textarea');
      expect(all).toHaveLength(fields.length);
      for (const [label, ...given] of fields) await gives(page, section, label, given[round]);
      const before = stored();
      await page.press('Save', { in: section });
      // Settings of this browser alone are sent nowhere, and may reload the page.
      if (title === 'Leaving quickly') {
        await page.until(() => stored() !== before);
        await page.idle();
      } else await page.sees('Settings saved');
      const back = await opens(person, title);
      for (const [label, first, then, ...shown] of fields) {
        expect([label, await shownBy(back.page, back.section, label)])
          .toEqual([label, shown[round] ?? [first, then][round]]);
      }
    }
  });

  test('and there is no other section with fields of its own', async () => {
    const page = await openPage(site, people.performer as Member, '/account/settings');
    await page.find('heading', 'Settings', { level: 1 });
    const titles = page.all('region').map((element) => element.querySelector('h2')?.textContent ?? '');
    expect(new Set(titles)).toEqual(new Set([...SECTIONS.map(({ title }) => title), ...OTHERS]));
  });
});
