import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser } from './contract.ts';
import { updateSettings } from './contract/settings.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const region = (page: Page, name: string) => page.find('region', name);
/** Opens the settings from the user menu. */
async function opensSettings(who: Member): Promise<Page> {
  const page = await openPage(site, who, '/');
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Settings', { role: 'menuitem' });
  await page.find('heading', 'Settings', { level: 1 });
  return page;
}
const settingsOf = async (who: Member) => (await who.call(getCurrentUser, {})).settings;
const chat = (page: Page) => page.find('list', 'Chat');

describe('/account/settings', () => {
  it('is reached from the menu, and saves each section by itself for a viewer [A-037]', async () => {
    const viewer = await site.viewer({ tokens: 50 });
    const page = await opensSettings(viewer);
    expect(page.path).toBe('/account/settings');
    expect(page.all('region').map((element) => element.querySelector('h2')?.textContent)).toEqual([
      'Account',
      'Profile',
      'Contact',
      'Language and appearance',
      'Browsing',
      'Chat',
      'Become a performer',
      'Privacy',
      'Leaving quickly',
      'Featured shows',
      'Spending',
      'Password',
      'Two-step log-in',
      'Passkeys',
      'Linked accounts',
      'Sessions',
      'Your data',
      'Delete account',
    ]);
    const chatting = await region(page, 'Chat');
    await page.choose('Font', 'Serif', { in: chatting });
    await page.choose('Text size', 'Huge', { in: chatting });
    await page.choose('Besides messages, show', 'Only tips', { in: chatting });
    await page.choose('Sort people in a room', 'By name', { in: chatting });
    await page.press('Turn smileys into emoji', { role: 'checkbox', in: chatting });
    await page.press('Save', { in: chatting });
    await page.sees('Settings saved');
    const browsing = await region(page, 'Browsing');
    await page.choose('Home page', 'By section', { in: browsing });
    await page.press('Swipe to go to the next performer', { role: 'checkbox', in: browsing });
    await page.press('Keep the video in a corner while scrolling', { role: 'checkbox', in: browsing });
    await page.press('Save', { in: browsing });
    const spending = await region(page, 'Spending');
    await page.fill('Daily limit in tokens', '40', { in: spending });
    await page.press('Save', { in: spending });
    const notices = await region(page, 'Featured shows');
    await page.choose('Tell me about featured shows', 'By push notification', { in: notices });
    await page.press('Save', { in: notices });
    const look = await region(page, 'Language and appearance');
    await page.choose('Appearance', 'Light', { in: look });
    await page.until(async () => (await settingsOf(viewer)).featured_show_notification === 'web');
    expect(await settingsOf(viewer)).toMatchObject({
      font_family: 'serif',
      font_size: '18px',
      chat_notice: 'tips',
      chat_user_sort: 'username',
      chat_emoticons: 'NO',
      home_layout: 'section',
      swipe_to_browse_enabled: false,
      daily_limit: 40,
      featured_show_notification: 'web',
      dark_mode_enabled: false,
      video_player_floating_enabled: 'NO',
    });
    // After a reload the page shows what was chosen.
    const again = await opensSettings(viewer);
    const chosen = async (label: string): Promise<string> => {
      const field = await again.field(label) as HTMLSelectElement;
      return field.selectedOptions[0]?.text ?? '';
    };
    expect(await Promise.all(['Font', 'Text size', 'Home page', 'Tell me about featured shows'].map(chosen)))
      .toEqual(['Serif', 'Huge', 'By section', 'By push notification']);
    const swipes = await again.field('Swipe to go to the next performer') as HTMLInputElement;
    const limit = await again.field('Daily limit in tokens') as HTMLInputElement;
    expect([swipes.checked, limit.value]).toEqual([false, '40']);
    expect(await page.problems()).toEqual([]);
  });

  it('says at its field what does not fit, and what was typed stays [A-204]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const contact = await region(page, 'Contact');
    await page.fill('Phone', '0170 1234567', { in: contact });
    await page.press('Save', { in: contact });
    const phone = await page.field('Phone', { in: contact });
    await page.sees('Start with + and the country code, then the number.', { in: contact });
    expect([phone.getAttribute('aria-invalid'), (phone as HTMLInputElement).value])
      .toEqual(['true', '0170 1234567']);
    expect((await settingsOf(viewer)).phone).toBe('');
    await page.fill('Phone', '0049 (170) 123-4567', { in: contact });
    await page.press('Save', { in: contact });
    await page.until(async () => (await settingsOf(viewer)).phone === '+491701234567');
    // Only the server knows who may hide.
    const privacy = await region(page, 'Privacy');
    await page.choose('In the list of people in a room', 'Nobody sees me', { in: privacy });
    await page.press('Save', { in: privacy });
    await page.sees('This setting isn’t available for your account.', { in: privacy });
    const level = await page.field('In the list of people in a room', { in: privacy });
    expect([level.getAttribute('aria-invalid'), (level as HTMLSelectElement).value]).toEqual(['true', '2']);
    expect((await settingsOf(viewer)).invisible_mode_level).toBe(0);
  });

  it('has a performer’s room, and links that their profile shows', async () => {
    const luna = await site.performer();
    const page = await opensSettings(luna);
    const room = await region(page, 'Your room');
    await page.choose('Who can chat', 'People with tokens', { in: room });
    await page.fill('Moderators stay for', '400', { in: room });
    await page.press('Save', { in: room });
    await page.find('alert', undefined, { in: room });
    expect((await settingsOf(luna)).mod_expire).toBe(14);
    await page.fill('Moderators stay for', '30', { in: room });
    await page.press('Save', { in: room });
    await page.until(async () => (await settingsOf(luna)).mod_expire === 30);
    expect((await settingsOf(luna)).chat_allowed).toBe('tokens');
    const profile = await region(page, 'Profile');
    await page.fill('Instagram username', 'not a name', { in: profile });
    await page.press('Save', { in: profile });
    await page.sees('Up to 30 letters, digits, . or _.', { in: profile });
    await page.fill('Instagram username', '@luna_v', { in: profile });
    await page.press('Save', { in: profile });
    await page.until(async () => (await luna.call(getCurrentUser, {})).socialMedia.instagram === 'luna_v');
    const contact = await region(page, 'Contact');
    await page.fill('X (Twitter) username', 'luna', { in: contact });
    await page.press('Link to it on my profile', { role: 'checkbox', in: contact });
    await page.press('Save', { in: contact });
    await page.until(async () => (await settingsOf(luna)).twitter.is_valid);
    expect(await page.problems()).toEqual([]);
    await site.settle();
    await site.services.browse.settled();
    const bio = await openPage(site, await site.viewer(), `/${luna.username}/bio`);
    const links = await Promise.all(
      [['X (Twitter)', 'https://x.com/luna'], ['Instagram', 'https://www.instagram.com/luna_v']].map(async (
        [name, address],
      ) => (await bio.find('link', name)).getAttribute('href') === address),
    );
    expect(links).toEqual([true, true]);
  });
});

it('whether a performer is alone on camera is a setting, which their profile says [A-190]', async () => {
  const luna = await site.performer();
  await site.settle();
  await site.services.browse.settled();
  const viewer = await site.viewer();
  for (const [name, category] of [['Me and others', 'group'], ['Only me', 'solo']] as const) {
    const page = await opensSettings(luna);
    const room = await region(page, 'Your room');
    await page.choose('Who is on camera', name, { in: room });
    await page.press('Save', { in: room });
    await page.until(async () => expect((await settingsOf(luna)).broadcast_category).toBe(category));
    const bio = await openPage(site, viewer, `/${luna.username}/bio`);
    await bio.find('heading', luna.person.displayName, { level: 1 });
    expect(bio.shows('Several people')).toBe(category === 'group');
  }
});

describe('a room', () => {
  it('shows the chat as the settings say, at once when another tab changes them [A-384]', async () => {
    const viewer = await site.viewer();
    const page = await openRoom(site, viewer, performer);
    const list = await chat(page);
    const classes = () => list.className;
    expect(classes()).toMatch(/font-sans/u);
    expect(classes()).toMatch(/text-\[14px\]/u);
    expect(list.getAttribute('style') ?? '').not.toContain('--chat-text');
    await viewer.call(updateSettings, {
      font_family: 'mono',
      font_size: '18px',
      text_color: '#ff0000',
      dark_mode_enabled: false,
      locale: 'de',
    });
    await page.until(() => /font-mono/u.test(classes()) && /text-\[20px\]/u.test(classes()));
    await page.until(() => /--chat-text: #[0-9a-f]{6}/u.test(list.getAttribute('style') ?? ''));
    await page.until(() => list.ownerDocument.documentElement.dataset['theme'] === 'light');
    await page.until(() => list.ownerDocument.documentElement.lang === 'de');
  });

  it('goes on small while one scrolls, unless the settings say otherwise', async () => {
    const viewer = await site.viewer();
    const page = await openRoom(site, viewer, performer);
    const scrolled = (await page.find('region', 'Tips and shows')).parentElement as HTMLElement;
    const isSmall = (): boolean => scrolled.parentElement?.dataset['scrolled'] !== undefined;
    // jsdom gives no element a height.
    Object.defineProperty(scrolled.firstElementChild, 'clientHeight', { value: 100 });
    scrolled.scrollTop = 80;
    scrolled.dispatchEvent(new Event('scroll', { bubbles: true }));
    await page.until(() => expect(isSmall()).toBe(true));
    for (const [setting, small] of [['NO', false], ['YES', true]] as const) {
      await viewer.call(updateSettings, { video_player_floating_enabled: setting });
      await page.until(() => expect(isSmall()).toBe(small));
    }
  });

  it('has the volume of tips as a slider from 0 to 100 percent [A-187]', async () => {
    const viewer = await site.viewer();
    const settings = await opensSettings(viewer);
    const chatting = await region(settings, 'Chat');
    const slider = await settings.find('slider', 'Volume of tips', { in: chatting });
    const { min, max, value } = slider as HTMLInputElement;
    expect([min, max, value, slider.getAttribute('aria-valuetext')]).toEqual(['0', '100', '70', '70%']);
    slider.focus();
    await settings.keys('{ArrowRight}');
    await settings.press('Save', { in: chatting });
    await settings.until(async () => (await settingsOf(viewer)).volume_tip === 75);
  });

  it('writes its chat in one of five sizes of the settings, regular at first [A-182, A-183]', async () => {
    const viewer = await site.viewer();
    const settings = await opensSettings(viewer);
    // The saved size, and the CSS pixels it is drawn at.
    const names = [
      ['Tiny', '9px', 12],
      ['Small', '10px', 13],
      ['Regular', '11px', 14],
      ['Large', '14px', 17],
      ['Huge', '18px', 20],
    ] as const;
    const chatting = await region(settings, 'Chat');
    const choice = await settings.field('Text size', { in: chatting });
    expect([...(choice as HTMLSelectElement).options].map(({ text }) => text))
      .toEqual(names.map(([name]) => name));
    expect((choice as HTMLSelectElement).selectedOptions[0]?.text).toBe('Regular');
    for (const [name, size] of [...names.slice(3), ...names.slice(0, 3)]) {
      await settings.choose('Text size', name, { in: chatting });
      await settings.press('Save', { in: chatting });
      await settings.until(async () => (await settingsOf(viewer)).font_size === size);
    }
    const page = await openRoom(site, viewer, performer);
    const list = await chat(page);
    const isDrawnAt = (px: number) =>
      page.until(() => expect(/text-\[(\d+)px\]/u.exec(list.className)?.[1]).toBe(String(px)));
    for (const [, size, px] of names) {
      await viewer.call(updateSettings, { font_size: size });
      await isDrawnAt(px);
    }
    // The slider in the room goes through all sizes too.
    await page.press('Chat settings');
    const slider = await page.find('slider', 'Text size');
    slider.focus();
    for (const [name, size, px] of names) {
      await page.keys(name === 'Tiny' ? '{Home}' : '{ArrowRight}');
      await page.until(() => expect(slider.getAttribute('aria-valuetext')).toBe(name));
      await page.until(async () => expect((await settingsOf(viewer)).font_size).toBe(size));
      await isDrawnAt(px);
    }
  });

  it('turns smileys into emoji, or leaves them as they are typed', async () => {
    const viewer = await site.viewer();
    const page = await openRoom(site, viewer, performer);
    const says = async (text: string) => {
      await page.fill('Message', text);
      await page.keys('{Enter}');
    };
    await says('with :)');
    await page.sees(/with 🙂/u);
    await viewer.call(updateSettings, { chat_emoticons: 'NO' });
    await page.press('Chat settings');
    const box = await page.field('Turn smileys into emoji');
    await page.until(() => expect((box as HTMLInputElement).checked).toBe(false));
    const stored = async () => (await settingsOf(viewer)).chat_emoticons;
    for (const word of ['YES', 'NO'] as const) {
      await page.click(box);
      await page.until(async () => await stored() === word);
    }
    await page.press('Close chat settings');
    await says('without :)');
    await page.sees(/without :\)/u);
    // The settings page shows what the room saved, and saves it too.
    const settings = await opensSettings(viewer);
    const chatting = await region(settings, 'Chat');
    const own = await settings.field('Turn smileys into emoji', { in: chatting }) as HTMLInputElement;
    expect(own.checked).toBe(false);
    await settings.click(own);
    await settings.press('Save', { in: chatting });
    await settings.until(async () => await stored() === 'YES');
  });
});

it('a page loads its person from GET /user/current, and shows who they are [A-160]', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/login');
  const form = await page.find('main');
  await page.fill('Username or email', viewer.username, { in: form });
  await page.fill('Password', 'correct horse battery', { in: form });
  const account = new RegExp(`^${viewer.person.displayName}’s account$`, 'u');
  // The page does not show the log-in's own answer: it waits for this call.
  const release = page.network.holds(/\/user\/current/u);
  await page.press('Log in', { in: form });
  await page.until(() => page.network.sent.some((sent) => /\/auth\/login/u.test(sent)));
  await page.until(() => expect(page.network.sent.at(-1)).toBe('GET /api/v1/user/current'));
  let turns = 0;
  await page.until(() => (turns += 1) > 20);
  expect(page.all('button', account)).toEqual([]);
  release();
  await page.find('button', account);
});

it('the first change after a log-in is sent once, and a telephone number is no card number', async () => {
  const { username } = await site.viewer();
  const browser = await site.visitor({ ofAge: true });
  const page = await openPage(site, browser, '/login?next=/account/settings');
  const form = await page.find('main');
  await page.fill('Username or email', username, { in: form });
  await page.fill('Password', 'correct horse battery', { in: form });
  await page.press('Log in', { in: form });
  // The number passes as a card number, as one in ten of this length does.
  const phone = '+4915112345678';
  await page.fill('Phone', phone);
  await page.press('Save', { in: await page.find('region', 'Contact') });
  await page.until(async () => expect((await browser.call(getCurrentUser, {})).settings.phone).toBe(phone));
  const changes = page.network.sent.filter((sent) => sent.startsWith('POST /api/v1/user/settings'));
  expect(changes).toHaveLength(1);
  await browser.opens();
  const card = '4111111111111111';
  const url = '/api/v1/user/settings';
  for (const payload of [
    { phone: card },
    { phone: `+${card}` },
    { twitter: { username: card } },
    { phone, hidden: card },
    { twitter: { username: `"phone":"+${card}"` } },
  ]) {
    const answer = await browser.request({ method: 'POST', url, payload });
    expect(answer.json()).toMatchObject({ status: 422, errorType: 'card_number_refused' });
  }
});
