import { getCurrentUser } from '#product/accounts/contract.ts';
import { listNotices, listOutbox } from '#product/notices/contract.ts';
import {
  getPreferences,
  getSubscription,
  setPreference,
  setSubscription,
} from '#product/notices/contract/preferences.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow } from './contract.ts';

const SEARCH = 'browse:notices.searchMatched';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const notify = (who: Member, name: string) =>
  site.tx((tx) =>
    site.services.notices.notify(tx, {
      // Names of kinds come from the texts, which the page-test project does not read.
      personId: who.id,
      kind: SEARCH as never,
      values: { name, search: 'Jazz' },
      link: '/tags',
    })
  );

test('the bell counts along while a followed performer goes live, and leads there [A-378]', async () => {
  const [performer, viewer] = [await site.performer({ username: 'bell_star' }), await site.viewer()];
  const second = await site.performer({ username: 'chime_star' });
  for (const username of ['bell_star', 'chime_star']) await viewer.call(follow, { username });
  const page = await openPage(site, viewer, '/tags');
  await page.find('link', 'Notifications');
  await second.goesLive();
  await page.find('link', 'Notifications, 1 unread');
  await performer.goesLive();
  await page.press('Notifications, 2 unread', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/notifications'));
  await page.find('link', 'bell_star is live now');
  expect(await page.problems()).toEqual([]);
  await page.press('Remove “chime_star is live now”');
  await page.find('link', 'Notifications, 1 unread');
  await page.press('Mark “bell_star is live now” as read');
  await page.find('button', 'Mark “bell_star is live now” as unread');
  await site.settle();
  await page.find('link', 'Notifications');
  await page.press('Mark “bell_star is live now” as unread');
  await site.settle();
  await page.find('link', 'Notifications, 1 unread');
  await page.press('Remove “bell_star is live now”');
  await page.sees(/^Nothing here yet\./u);
  expect((await viewer.call(listNotices, {})).notices).toEqual([]);
});

test('all are marked as read, unread ones have a list, and a click leads there', async () => {
  const viewer = await site.viewer();
  for (const name of ['Ann', 'Bea']) await notify(viewer, name);
  const page = await openPage(site, viewer, '/notifications', { width: 390 });
  await page.press('Mark all as read');
  await page.gone('button', 'Mark all as read');
  expect((await viewer.call(listNotices, {})).unread).toBe(0);
  await page.press('Unread', { role: 'tab' });
  await page.sees('You’ve read everything.');
  await notify(viewer, 'Cleo');
  await site.settle();
  await page.press('Cleo matches “Jazz”', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/tags'));
  await page.until(async () => expect((await viewer.call(listNotices, {})).unread).toBe(0));
});

test('the settings of notifications switch channels, and say what cannot be switched off', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/notifications');
  await page.press('Choose how you’re notified', { role: 'link' });
  const group = await page.find('group', 'A saved search finds someone live');
  const email = await page.field('Email', { in: group });
  await page.press('Email', { role: 'checkbox', in: group });
  await page.until(() => expect((email as HTMLInputElement).checked).toBe(true));
  await page.choose('How we notify you', 'By text message');
  await page.sees(/^Text messages need a phone number/u);
  await page.press('Discreet push and text messages', { role: 'checkbox' });
  await page.until(async () => {
    const { kinds, ...rest } = await viewer.call(getPreferences, {});
    expect(rest).toMatchObject({ featured_show_notification: 'sms', push_discreet: false });
    expect(kinds.find(({ kind }) => kind === SEARCH)?.channels.find(({ channel }) => channel === 'email')?.on)
      .toBe(true);
  });
  const device = await page.find('group', 'Log-in from a new browser');
  const list = await page.field(/^In your list/u, { in: device });
  expect((list as HTMLInputElement).disabled).toBe(true);
  expect(await page.problems()).toEqual([]);
});

test('each of four ways to learn of featured shows is chosen and saved in both places [A-200]', async () => {
  const viewer = await site.viewer();
  const choices = ['email', 'sms', 'web', 'none'] as const;
  const saved = async () => (await viewer.call(getCurrentUser, {})).settings.featured_show_notification;
  for (const { label, texts, open } of [
    {
      label: 'Tell me about featured shows',
      open: '/account/settings',
      texts: ['By email', 'By text message', 'By push notification', 'Not at all'],
    },
    {
      label: 'How we notify you',
      open: '/notifications/settings',
      texts: ['By email', 'By text message', 'On this device (push)', 'Don’t notify me'],
    },
  ]) {
    const opens = async () => {
      const page = await openPage(site, viewer, open);
      const select = await page.field(label) as HTMLSelectElement;
      expect([...select.options].map(({ text }) => text)).toEqual(texts);
      expect(select.selectedOptions[0]?.text).toBe(texts[choices.indexOf(await saved())]);
      return page;
    };
    for (const at of [3, 2, 1, 0]) {
      const page = await opens();
      await page.choose(label, texts[at] ?? '');
      if (open === '/account/settings') {
        await page.press('Save', { in: await page.find('region', 'Featured shows') });
      }
      await page.until(async () => expect(await saved()).toBe(choices[at]));
    }
    await opens();
  }
});

test(
  '/email/subscription is reached from an email without logging in, and from the settings [A-046]',
  async () => {
    const viewer = await site.viewer();
    await viewer.call(setPreference, { kind: SEARCH, channel: 'email', on: true });
    await notify(viewer, 'Ada');
    const { mails } = await (await site.admin()).call(listOutbox, {});
    const text = mails.find(({ to }) => to === `${viewer.username}@people.example`)?.text ?? '';
    const link = new URL(/https?:\S+\/email\/subscription\S+/u.exec(text)?.[0] ?? '');
    const guest = await site.visitor({ ofAge: true });
    const page = await openPage(site, guest, link.pathname + link.search);
    await page.sees(/people\.example/u);
    await page.press('A saved search finds someone live', { role: 'checkbox' });
    await page.sees('Saved.');
    const token = link.searchParams.get('token') ?? '';
    const on = async () =>
      (await guest.call(getSubscription, { token })).kinds
        .filter((kind) => kind.on).map(({ kind }) => kind);
    const others = await on();
    expect([others.length > 0, others.includes(SEARCH)]).toEqual([true, false]);
    await page.press('Stop all of these emails');
    await page.sees('You won’t get any of these emails any more.');
    expect(await on()).toEqual([]);
    expect(await page.problems()).toEqual([]);
    // A truncated link says that it does not work.
    const broken = await openPage(site, guest, `${link.pathname}?token=${token.slice(0, -5)}`);
    await broken.sees(/^This link doesn’t work\./u);
    // Opened from the URL that mail programs post to: one button, for emails of that kind alone.
    for (const kind of others) await guest.call(setSubscription, { token, kind, on: true });
    await guest.call(setSubscription, { token, kind: SEARCH, on: true });
    const before = await on();
    expect(before.toSorted()).toEqual([SEARCH, ...others].toSorted());
    const address = `/email/subscription?one=1&token=${encodeURIComponent(token)}`;
    const one = await openPage(site, guest, address);
    const main = await one.find('main');
    await one.sees('A saved search finds someone live');
    expect(one.all('button', undefined, { in: main }).map(({ textContent }) => textContent))
      .toEqual(['Stop these emails']);
    expect([one.all('checkbox', undefined, { in: main }), await on()]).toEqual([[], before]);
    await one.press('Stop these emails');
    await one.sees('Done. You won’t get emails of this kind any more.');
    expect(one.all('button', undefined, { in: main })).toEqual([]);
    expect(await on()).toEqual(before.filter((kind) => kind !== SEARCH));
    expect(await one.problems()).toEqual([]);
    // It still says so when opened again; the other emails are one click away.
    const again = await openPage(site, guest, address);
    await again.sees('Done. You won’t get emails of this kind any more.');
    await again.press('Choose which emails you get', { role: 'link' });
    await again.find('button', 'Stop all of these emails');
    for (const kind of others) await guest.call(setSubscription, { token, kind, on: false });
    const own = await openPage(site, viewer, '/account/settings');
    await own.press('All notification settings', { role: 'link' });
    await own.press('Emails only', { role: 'link' });
    await own.until(() => expect(own.path).toBe('/email/subscription'));
    await own.press('A saved search finds someone live', { role: 'checkbox' });
    await own.sees('Saved.');
    expect(await on()).toEqual([SEARCH]);
  },
);

test.each([
  { name: 'who never passed the entry gate', region: undefined, gate: 'Are you 18 or older?' },
  { name: 'whose region asks for proof of age', region: 'US-FL', gate: 'Age verification required' },
])('the one button of an email is there for somebody $name', async ({ region, gate }) => {
  const viewer = await site.viewer();
  await viewer.call(setPreference, { kind: SEARCH, channel: 'email', on: true });
  await notify(viewer, 'Ada');
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const mail = mails.find(({ to }) => to === `${viewer.username}@people.example`);
  const link = new URL(mail?.unsubscribe ?? '');
  const guest = await site.visitor(region === undefined ? {} : { region });
  const opened = await guest.request({ method: 'GET', url: link.pathname + link.search });
  expect(opened.statusCode).toBe(303);
  const page = await openPage(site, guest, String(opened.headers['location']));
  await page.press('Stop these emails');
  await page.sees('Done. You won’t get emails of this kind any more.');
  const { kinds } = await viewer.call(getPreferences, {});
  expect(kinds.find(({ kind }) => kind === SEARCH)?.channels.find(({ channel }) => channel === 'email')?.on)
    .toBe(false);
  // The entry gate still covers everything else.
  await page.goto('/tags');
  await page.sees(gate);
});
