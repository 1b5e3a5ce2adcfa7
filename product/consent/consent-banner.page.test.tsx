import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { choiceIn, CONSENT_COOKIE } from './rules.ts';
import { STORED_KEYS } from './rules/stored.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

const QUESTION = 'What may we store?';
const chosen = (who: Visitor) => choiceIn(who.cookie(CONSENT_COOKIE), site.clock.now().getTime())?.consent;
const newcomer = () => site.visitor({ consent: null, ofAge: true });
const views = async ({ id }: Member): Promise<number> => {
  const { rows } = await site.tx((tx) =>
    sql<{ n: number }>`
    select count(*)::int as n from browse.views where viewer_id = ${id}`.execute(tx.sql<object>())
  );
  return rows[0]?.n ?? 0;
};

describe('the banner', () => {
  test('waits for the entry gate, and never stands on a page of somebody who answered', async () => {
    const page = await openPage(site, await site.visitor({ consent: null }), '/');
    await page.find('button', /18/u);
    expect(page.all('region', QUESTION)).toEqual([]);
    const answered = await openPage(site, await site.visitor({ ofAge: true }), '/');
    await answered.find('heading', /./u, { level: 1 });
    expect(answered.all('region', QUESTION)).toEqual([]);
  });

  test.each([
    ['Accept all', true],
    ['Refuse all', false],
  ])('is answered with one press: %s', async (name, isYes) => {
    const guest = await newcomer();
    const page = await openPage(site, guest, '/');
    const banner = await page.find('region', QUESTION);
    expect(await page.problems()).toEqual([]);
    await page.press(name, { in: banner });
    await page.gone('region', QUESTION);
    expect(chosen(guest)).toEqual({ preferences: isYes, statistics: isYes, marketing: isYes });
    await page.until(() => expect(page.focused?.id).toBe('main'));
    const again = await openPage(site, guest, '/');
    await again.find('heading', /./u, { level: 1 });
    expect(again.all('region', QUESTION)).toEqual([]);
  });

  test('offers accepting and refusing alike, before choosing', async () => {
    const page = await openPage(site, await newcomer(), '/', { width: 320 });
    const banner = await page.find('region', QUESTION);
    const [accept, refuse] = [
      await page.find('button', 'Accept all', { in: banner }),
      await page.find('button', 'Refuse all', { in: banner }),
    ];
    expect(accept.className).toBe(refuse.className);
    expect(await page.problems()).toEqual([]);
  });

  test('is answered by purpose in a dialog, with the keyboard alone', async () => {
    const guest = await newcomer();
    const page = await openPage(site, guest, '/');
    await page.press('Choose');
    const dialog = await page.find('dialog', 'Cookies and your choice');
    const necessary = await page.find('checkbox', 'Necessary', { in: dialog });
    expect(necessary).toMatchObject({ disabled: true, checked: true });
    (await page.find('checkbox', 'Statistics', { in: dialog })).focus();
    await page.keys(' ');
    (await page.find('button', 'Save choice', { in: dialog })).focus();
    await page.keys('{Enter}');
    await page.gone('region', QUESTION);
    expect(chosen(guest)).toEqual({ preferences: false, statistics: true, marketing: false });
  });

  test('stays, and says why, when the answer does not arrive', async () => {
    const guest = await newcomer();
    const page = await openPage(site, guest, '/');
    const banner = await page.find('region', QUESTION);
    page.network.goesDown(true);
    await page.press('Refuse all', { in: banner });
    await page.find('alert', undefined, { in: banner });
    page.network.goesDown(false);
    await page.press('Refuse all', { in: banner });
    await page.gone('region', QUESTION);
  });

  test('is not there where nobody is asked', async () => {
    const admin = await site.admin();
    await admin.call(changeOperatorRules, { consent_asked: 'europe', reason: 'our lawyers agree' });
    await site.passes(10_000);
    onTestFinished(async () => {
      await admin.call(changeOperatorRules, { consent_asked: 'everywhere', reason: 'as before' });
      await site.passes(10_000);
    });
    const american = await site.visitor({ consent: null, region: 'US-NY', ofAge: true });
    const page = await openPage(site, american, '/cookies');
    expect(await page.find('checkbox', 'Statistics')).toHaveProperty('checked', true);
    expect(await page.find('checkbox', 'Marketing')).toHaveProperty('checked', false);
    await page.press('Refuse all');
    await page.sees(/^Saved\. Nothing more/u);
    expect(await page.find('checkbox', 'Statistics')).toHaveProperty('checked', false);
  });
});

test('whoever looks around without an answer has nothing stored but what is necessary', async () => {
  const guest = await newcomer();
  for (const path of ['/?advert_id=summer', `/${performer.username}`, '/search', '/view-history']) {
    const page = await openPage(site, guest, path);
    await page.find('region', QUESTION);
    await site.passes(60_000);
    page.leave();
  }
  const necessary = STORED_KEYS.filter(({ purpose }) => purpose === 'necessary').map(({ name }) => name);
  const names = [
    ...guest.headers['cookie']?.split('; ').map((pair) => pair.split('=')[0]) ?? [],
    ...guest.storage.local.keys(),
    ...guest.storage.session.keys(),
  ];
  expect(names).toContain('session');
  expect(names.filter((name) => !necessary.includes(name ?? ''))).toEqual([]);
});

describe('the page of cookies', () => {
  test('is reached from the foot of every page, and lists everything that is stored', async () => {
    const page = await openPage(site, await newcomer(), '/');
    await page.press('Cookie settings', { role: 'link' });
    await page.find('heading', 'Cookies and your choice');
    for (const { name } of STORED_KEYS) expect(page.all('rowheader', name)).toHaveLength(1);
    expect(page.all('region', QUESTION)).toEqual([]);
    expect(await page.problems()).toEqual([]);
  });

  test('stops remembering at once, deletes what is stored, and offers to delete the history', async () => {
    const viewer = await site.viewer();
    const room = await openRoom(site, viewer, performer);
    await expect.poll(() => views(viewer)).toBe(1);
    room.leave();
    viewer.storage.local.set('candela.lastTip', '25');
    const settings = await openPage(site, viewer, '/account/settings');
    await settings.press('Cookies and what is remembered', { role: 'link' });
    await settings.press('Remember what I watch', { role: 'checkbox' });
    await settings.press('Save choice');
    await settings.sees(/^Saved\. Nothing more/u);
    settings.leave();
    expect(viewer.storage.local.has('candela.lastTip')).toBe(false);
    expect(await views(viewer)).toBe(1);
    const page = await openPage(site, viewer, '/cookies');
    await page.press('Refuse all');
    await page.press('Delete what was remembered');
    await page.sees(/are deleted\.$/u);
    expect(await views(viewer)).toBe(0);
    const other = await openRoom(site, viewer, performer);
    await site.passes(60_000);
    other.leave();
    await site.settle();
    expect(await views(viewer)).toBe(0);
    const history = await openPage(site, viewer, '/view-history');
    await history.sees(/^Nothing is remembered right now/u);
    expect(await history.problems()).toEqual([]);
  });

  test('says that a browser which objects keeps statistics and marketing off', async () => {
    const guest = await site.visitor({ consent: null, ofAge: true, objects: true });
    const page = await openPage(site, guest, '/cookies');
    Object.defineProperty(navigator, 'globalPrivacyControl', { configurable: true, value: true });
    onTestFinished(() => {
      Reflect.deleteProperty(navigator, 'globalPrivacyControl');
    });
    await page.goto('/cookies');
    await page.sees(/asks sites not to track you/u);
    for (const name of ['Statistics', 'Marketing']) {
      expect(await page.find('checkbox', name)).toMatchObject({ disabled: true, checked: false });
    }
    await page.press('Accept all');
    await page.sees(/^Saved\./u);
    expect(chosen(guest)).toEqual({ preferences: true, statistics: false, marketing: false });
  });
});
