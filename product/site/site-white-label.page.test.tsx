import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { changeBanner } from './contract/banner.ts';
import { changeOperatorRules } from './contract/operator-rules.ts';
import { DEFAULT_COLOURS } from './rules.ts';

const HOST = 'lagoon.example';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: [HOST],
    isWhitelabel: true,
    mainDomainUrl: `https://${HOST}`,
    look: { colours: { ...DEFAULT_COLOURS, pink: '#AA3366' }, force_dark_mode: false },
  });
});
afterAll(() => site.close());

test('a white-label lists, opens and tips the same performers under its own name [A-002]', async () => {
  const performer = await site.performer({ live: true });
  const named = new RegExp(performer.person.displayName, 'u');
  const sites = [['localhost', 'Candela', 'Lagoon'], [HOST, 'Lagoon', 'Candela']] as const;
  for (const [host, name, other] of sites) {
    const viewer = await site.viewer({ tokens: 100, host });
    const page = await openPage(site, viewer, '/girls', { host });
    await page.find('link', new RegExp(`^${name}`, 'u'), { in: await page.find('banner') });
    expect(page.shows(new RegExp(other, 'u'))).toBe(false);
    await page.press(named, { role: 'link', in: await page.find('main') });
    await page.sees(/in the room/u);
    await page.press('Tip 25', { in: await page.find('form', /^Tip /u) });
    await page.sees(/^You tipped .* 25 tokens\.$/u);
  }
});

test('a page without sockets posts the server that it could not reach, after 10 s [A-369]', async () => {
  const cut = await createSite();
  onTestFinished(() => cut.close());
  await cut.services.site.addSite(cut.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: [HOST],
    isWhitelabel: true,
  });
  const performer = await cut.performer({ live: true });
  const viewer = await cut.viewer({ host: HOST });
  const page = await openRoom(cut, viewer, performer, { host: HOST, socketsByClock: true });
  const posted = (): string[] => page.network.sent.filter((text) => text.includes('frontend-ws-fail'));
  cut.gateway.close();
  await page.until(() => expect(page.network.texts.at(-1)?.text).toContain('v3.lobby.restarting'));
  await page.idle();
  cut.clock.advance(9_999);
  await page.idle();
  expect(posted()).toEqual([]);
  cut.clock.advance(1);
  await page.until(() =>
    expect(posted()).toEqual([`POST /api/v1/log/frontend-ws-fail {"server":"${HOST}"}`])
  );
  await page.until(() => expect(cut.log.filter((line) => line.includes(HOST))).toHaveLength(1));
});

/** How many parts of the shell are on the page; the last is the operator's banner. */
const chromeOf = (page: Awaited<ReturnType<typeof openPage>>): number[] =>
  [
    page.all('banner'),
    page.all('contentinfo'),
    page.all('link', 'Skip to content'),
    page.all('navigation', 'Main navigation'),
    page.all('complementary', 'From this site'),
  ].map(({ length }) => length);

test('the vr site shows its page alone, and asks for the age as every site does [A-334]', async () => {
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon VR',
    sitecode: 'vr',
    hosts: ['vr.lagoon.example'],
    isWhitelabel: false,
    mainDomainUrl: 'https://vr.lagoon.example',
  });
  const host = 'vr.lagoon.example';
  const none = [0, 0, 0, 0, 0];
  for (const one of [host, HOST]) {
    await (await site.admin({ host: one })).call(changeBanner, {
      text: 'New shows',
      image_path: null,
      link: '/girls/new',
      from: null,
      until: null,
      reason: 'a campaign',
    });
  }
  const [performer, admin] = [await site.performer({ live: true }), await site.admin()];
  const name = performer.person.displayName;
  const visitor = await site.visitor({ host, consent: null });
  for (const width of [1280, 390]) {
    const gate = await openPage(site, visitor, '/girls', { host, width });
    await gate.find('button', /18/u);
    expect(chromeOf(gate)).toEqual(none);
  }
  const page = await openPage(site, visitor, '/girls', { host });
  await page.press(/18/u);
  await page.find('heading', 'Girls live now', { level: 1, in: await page.find('main') });
  expect(chromeOf(page)).toEqual(none);
  expect(await page.problems()).toEqual([]);
  // Questions and notices for the person are not part of the shell.
  await page.press('Refuse all', { in: await page.find('region', 'What may we store?') });
  await page.gone('region', 'What may we store?');
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'onLine'));
  page.network.goesDown(true);
  await page.sees(/^You’re offline/u);
  Reflect.deleteProperty(navigator, 'onLine');
  page.network.goesDown(false);
  await page.until(() => expect(page.shows(/^You’re offline/u)).toBe(false));
  expect(chromeOf(page)).toEqual(none);
  // A room fills the window; the focus moves along.
  await page.press(new RegExp(name, 'u'), { role: 'link', in: await page.find('main') });
  const heading = await page.find('heading', new RegExp(name, 'u'), { level: 1 });
  await page.until(() => expect(page.focused).toBe(heading));
  expect(chromeOf(page)).toEqual(none);
  await admin.call(changeOperatorRules, { require_two_factor: true, reason: 'seen in a test' });
  const staff = await openPage(site, await site.viewer({ host, roles: ['site_mod'] }), '/girls', { host });
  await staff.find('region', 'Two-step log-in is required');
  const lost = await openPage(site, visitor, '/there/is/nothing', { host, width: 390 });
  await lost.find('heading', 'Page not found', { level: 1, in: await lost.find('main') });
  expect(chromeOf(lost)).toEqual(none);
  const elsewhere = await site.visitor({ ofAge: true, host: HOST });
  const other = await openPage(site, elsewhere, '/girls', { host: HOST, width: 390 });
  await other.find('heading', 'Girls live now', { level: 1 });
  await other.find('complementary', 'From this site');
  for (const count of chromeOf(other)) expect(count).toBeGreaterThan(0);
});
