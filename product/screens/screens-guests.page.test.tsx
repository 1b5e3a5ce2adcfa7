import { login } from '#product/accounts/contract.ts';
import { getHistory } from '#product/ledger/contract.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { listReceivedTips } from '#product/tips/contract.ts';
import { saveTipMenu } from '#product/tips/contract/menu.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

const PASSWORD = 'harbour-lights-9';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Names of the fields of a form, of every kind that a person fills in. */
const fieldsOf = (page: Page, form: HTMLElement): readonly string[] =>
  ['textbox', 'combobox', 'checkbox', 'radio'].flatMap((role) => page.all(role, undefined, { in: form }))
    .map((field) => field.getAttribute('name') ?? field.textContent ?? '');

/** What a sign-up form shows: fields, buttons, passwords and texts. */
const contentOf = (page: Page, form: HTMLElement) => ({
  fields: fieldsOf(page, form),
  passwords: form.querySelectorAll('input[type=password]').length,
  labels: [...form.querySelectorAll('label, legend')].map((label) => label.textContent),
});

async function signsUp(page: Page, form: HTMLElement, username: string): Promise<void> {
  await page.fill('Username', username, { in: form });
  await page.fill('Email', `${username}@people.example`, { in: form });
  await page.fill('Password', PASSWORD, { in: form });
  await page.choose('Day', '14', { in: form });
  await page.choose('Month', 'March', { in: form });
  await page.choose('Year', '1991', { in: form });
  await page.click(await page.find('checkbox', undefined, { in: form }));
  await page.press('Sign up', { in: form });
}

test('the modal has the form of /register, and who signs up there is in [A-032, A-074]', async () => {
  const performer = await site.performer({ live: true });
  const own = await openPage(site, await site.visitor({ ofAge: true }), '/register');
  await own.field('Username');
  const offered = contentOf(own, (await own.find('main')).querySelector('form')!);
  expect(offered.passwords).toBe(1);
  expect(offered.labels).toEqual([
    'Username',
    'Email',
    'Password',
    'Birth date',
    'I’m at least 18 years old and accept the terms of this site.',
  ]);

  const guest = await site.visitor({ ofAge: true });
  const page = await openRoom(site, guest, performer);
  await page.press('Log in to chat');
  await page.press('Sign up', { in: await page.find('dialog', 'Log in') });
  const modal = await page.find('dialog', 'Sign up');
  await page.field('Username', { in: modal });
  expect(contentOf(page, modal.querySelector('form')!)).toEqual(offered);
  expect(await page.problems()).toEqual([]);
  await signsUp(page, modal, 'walked_in');
  await page.gone('dialog', 'Sign up');
  await page.sees(/^Welcome! Check your email/u);
  await page.find('region', 'Confirm your email address');
  await page.find('button', /walked_in’s account$/u);
  await page.field('Message');
  expect(page.path).toBe(`/${performer.username}`);
  await (await site.visitor()).call(login, { login: 'walked_in', password: PASSWORD });
});

test('a guest who tips is asked to log in and sends nothing, and tips once they are in [A-227]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer({ tokens: 60 })];
  await performer.call(saveTipMenu, { items: [{ title: 'Wave hello', price: 15 }] });
  const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  const tips = (): string[] => page.network.sent.filter((text) => text.includes('/tip/'));
  await page.press('Tip menu');
  await page.press(/^Wave hello/u);
  await page.sees('Log in to tip. You stay in this room.', { in: await page.find('dialog', 'Log in') });
  await page.keys('{Escape}');
  await page.gone('dialog', 'Log in');
  await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
  const prompt = await page.find('dialog', 'Log in');
  await page.sees('Log in to tip. You stay in this room.', { in: prompt });
  await site.passes(60_000);
  await page.idle();
  expect(tips()).toEqual([]);
  await page.fill('Username or email', viewer.username, { in: prompt });
  await page.fill('Password', 'correct horse battery', { in: prompt });
  await page.press('Log in', { in: prompt });
  await page.find('button', /^60 tokens/u);
  await page.idle();
  expect(tips()).toEqual([]);
  await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
  await page.find('button', /^35 tokens/u);
  expect(tips().length).toBeGreaterThan(0);
});

test('an adult spends tokens on a live performer, who is seen and has earned them [C-001]', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ ofAge: false, tokens: 90 });
  const page = await openPage(site, viewer, `/${performer.username}`);
  const adult = await page.find('button', 'I am 18 or older');
  expect(page.shows(new RegExp(performer.person.displayName, 'u'))).toBe(false);
  await page.click(adult);
  const player = await page.find('group', 'Player');
  await page.until(() => {
    expect(player.dataset['phase']).not.toBe('idle');
    expect(page.network.sent.filter((text) => text.includes('/video/playback/'))).not.toEqual([]);
  });
  await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
  await page.find('button', /^65 tokens/u);
  const { lines } = await viewer.call(getHistory, {});
  expect(lines[0]).toMatchObject({ kind: 'tip', tokens: -25, balance: 65, memo: { to: performer.username } });
  const { tips: [received] } = await performer.call(listReceivedTips, {});
  expect(received).toMatchObject({ tokens: 25, sender_name: viewer.username });
  const hers = await openRoom(site, performer, performer);
  await hers.sees(/tipped 25 tokens/u);
});

test('a room is for chat and watching, and on a phone each part is a tab [B-107, C-081]', async () => {
  const performer = await site.performer({ live: true });
  const name = performer.person.displayName;
  const page = await openRoom(site, await site.viewer(), performer, { width: 390 });
  const parts = await page.find('group', 'Room sections');
  const pressed = (): (string | null)[] =>
    page.all('button', undefined, { in: parts })
      .filter((tab) => tab.getAttribute('aria-pressed') === 'true').map(({ textContent }) => textContent);
  const shown = (): boolean[] => [
    page.all('textbox', 'Message').length === 1,
    page.all('form', new RegExp(`^Tip ${name}`, 'u')).length === 1,
    page.all('heading', new RegExp(`^About ${name}`, 'u')).length === 1,
  ];
  await page.field('Message');
  expect([pressed(), shown()]).toEqual([['Chat'], [true, true, false]]);
  await page.fill('Message', 'Greetings from a phone');
  await page.press('Send');
  await page.sees(/Greetings from a phone/u, { in: await page.find('list', 'Chat') });
  for (const [tab, expected] of [
    ['About', [false, true, true]],
    ['Chat', [true, true, false]],
  ] as const) {
    await page.press(tab, { in: parts });
    expect([pressed(), shown()]).toEqual([[tab], expected]);
    const player = await page.find('group', 'Player');
    expect(player.dataset['phase']).not.toBe('idle');
  }
  const wide = await openRoom(site, await site.viewer(), performer);
  expect(wide.all('group', 'Room sections')).toEqual([]);
  await wide.find('form', new RegExp(`^Tip ${name}`, 'u'));
  await wide.find('textbox', 'Message');
});
