import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '../testkit/site.ts';
import { DEFAULT_COLOURS } from './rules.ts';

const HOST = 'lagoon.example';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon', sitecode: 'lagoon', hosts: [HOST], isWhitelabel: true,
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
    displayName: 'Lagoon', sitecode: 'lagoon', hosts: [HOST], isWhitelabel: true,
  });
  const performer = await cut.performer({ live: true });
  const viewer = await cut.viewer({ host: HOST });
  const page = await openRoom(cut, viewer, performer, { host: HOST, socketsByClock: true });
  const posted = (): string[] => page.network.sent.filter((one) => one.includes('frontend-ws-fail'));
  cut.gateway.close();
  await page.until(() => expect(page.network.texts.at(-1)?.text).toContain('v3.lobby.restarting'));
  await page.idle();
  cut.clock.advance(9_999);
  await page.idle();
  expect(posted()).toEqual([]);
  cut.clock.advance(1);
  await page.until(() =>
    expect(posted()).toEqual([`POST /api/v1/log/frontend-ws-fail {"server":"${HOST}"}`]));
  await page.until(() => expect(cut.log.filter((line) => line.includes(HOST))).toHaveLength(1));
});

test('the vr site shows its page alone, and asks for the age as every site does [A-334]', async () => {
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon VR', sitecode: 'vr', hosts: ['vr.lagoon.example'], isWhitelabel: false,
    mainDomainUrl: 'https://vr.lagoon.example',
  });
  const host = 'vr.lagoon.example';
  const chrome = ['banner', 'contentinfo'] as const;
  const visitor = await site.visitor({ host });
  const page = await openPage(site, visitor, '/girls', { host });
  await page.press(/18/u);
  await page.find('heading', 'Girls live now', { level: 1, in: await page.find('main') });
  expect(chrome.map((role) => page.all(role).length)).toEqual([0, 0]);
  expect(page.all('link', 'Skip to content')).toEqual([]);
  expect(await page.problems()).toEqual([]);
  const lost = await openPage(site, visitor, '/there/is/nothing', { host });
  await lost.find('heading', 'Page not found', { level: 1, in: await lost.find('main') });
  expect(chrome.map((role) => lost.all(role).length)).toEqual([0, 0]);
  const elsewhere = await site.visitor({ ofAge: true, host: HOST });
  const other = await openPage(site, elsewhere, '/girls', { host: HOST });
  await other.find('heading', 'Girls live now', { level: 1 });
  for (const role of chrome) expect(other.all(role).length).toBeGreaterThan(0);
});
