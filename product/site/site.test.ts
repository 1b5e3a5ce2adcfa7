import { API_BASE } from '#platform/contract/client.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getSiteConfig, reportSocketFailure } from './contract.ts';
import { getManifest } from './contract/manifest.ts';
import { changeSeller, getSeller } from './contract/seller.ts';
import { DEFAULT_COLOURS, DEFAULT_SETTINGS, LOCALES } from './rules.ts';

const SITE_CONFIG = API_BASE + getSiteConfig.path;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the site configuration', () => {
  it('describes the default site of an empty installation and is never cached', async () => {
    const visitor = await site.visitor();
    const config = await visitor.call(getSiteConfig, {});
    expect(config.site).toMatchObject({
      display_name: 'Candela',
      sitecode: 'candela',
      is_whitelabel: false,
      custom: { colours: DEFAULT_COLOURS, force_dark_mode: false },
    });
    expect(config).toMatchObject({ version: 'test', mode: 'demo', locales: [...LOCALES] });
    expect(config.time).toEqual({ yearWeek: '2026-W03', now: '2026-01-15T12:00:00.000Z' });
    const response = await visitor.request({ url: SITE_CONFIG });
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('starts a session with its CSRF token, once [A-337]', async () => {
    const visitor = await site.visitor({ opened: false });
    const first = await visitor.call(getSiteConfig, {});
    const session = visitor.cookie('session');
    expect(session).not.toBeNull();
    const again = await visitor.call(getSiteConfig, {});
    expect([again.csrf, visitor.cookie('session')]).toEqual([first.csrf, session]);
    const other = await site.visitor({ opened: false });
    expect((await other.call(getSiteConfig, {})).csrf).not.toBe(first.csrf);
  });

  it('keeps its session cookie from scripts and from other sites', async () => {
    const visitor = await site.visitor({ opened: false });
    const { cookies } = await visitor.request({ url: SITE_CONFIG });
    const cookie = cookies.find(({ name }) => name === 'session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  });

  it('has the chosen language, else the one the browser asks for', async () => {
    const visitor = await site.visitor({ language: 'pt, fr;q=0.8' });
    expect((await visitor.call(getSiteConfig, {})).locale).toBe('fr');
    visitor.setCookie('locale', 'nl');
    expect((await visitor.call(getSiteConfig, {})).locale).toBe('nl');
    visitor.setCookie('locale', '../../etc');
    expect((await visitor.call(getSiteConfig, {})).locale).toBe('fr');
  });
});

it('what a browser installs the site by is in its language, and caches hold one for each', async () => {
  const visitor = await site.visitor({ opened: false });
  for (const language of ['de', 'fr']) {
    const headers = { 'accept-language': language };
    const answer = await visitor.request({ url: getManifest.path, headers });
    expect(answer.json()).toMatchObject({ lang: language });
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'vary': 'accept-language, cookie',
    });
  }
});

describe('sites by host name', () => {
  it('runs the main site and white-labels with their own look from one installation [A-002]', async () => {
    const colours = { ...DEFAULT_COLOURS, pink: '#AA3366' };
    const scope = await site.services.site.addSite(site.scope.operatorId, {
      displayName: 'Lagoon',
      sitecode: 'lagoon',
      hosts: ['Lagoon.example'],
      isWhitelabel: true,
      mainDomainUrl: 'https://lagoon.example',
      look: { colours, force_dark_mode: true },
    });
    expect(scope.operatorId).toBe(site.scope.operatorId);
    const there = await (await site.visitor({ host: 'lagoon.example' })).call(getSiteConfig, {});
    expect(there.site).toMatchObject({
      display_name: 'Lagoon',
      domain_name: 'lagoon.example',
      is_whitelabel: true,
      custom: { colours, force_dark_mode: true, logo_path: null },
    });
    const here = await (await site.visitor()).call(getSiteConfig, {});
    expect(here.site).toMatchObject({ display_name: 'Candela', is_whitelabel: false });
    const addressOf = (siteId: number) => site.tx((tx) => site.services.site.addressIn(tx, siteId));
    expect([await addressOf(scope.siteId), await addressOf(site.scope.siteId)])
      .toEqual(['https://lagoon.example', 'http://localhost']);
    expect(here.site.custom.colours).toEqual(DEFAULT_COLOURS);
  });

  it('refuses unknown names, and resolves new ones at once', async () => {
    const host = 'late.example';
    const visitor = await site.visitor({ host, opened: false });
    for (const name of [host, 'localhost.evil.example', '192.0.2.1', 'candela']) {
      const response = await visitor.request({ url: SITE_CONFIG, headers: { host: name } });
      expect([name, response.statusCode, response.json().errorType]).toEqual([name, 421, 'unknown_site']);
    }
    const late = { displayName: 'Late', sitecode: 'late', hosts: [host] };
    await site.services.site.addSite(site.scope.operatorId, late);
    expect((await visitor.call(getSiteConfig, {})).site.display_name).toBe('Late');
    site.clock.advance(10_000);
    expect((await visitor.call(getSiteConfig, {})).site.display_name).toBe('Late');
  });

  it('gives a host to one site only, of whatever operator', async () => {
    const { addOperator, addSite, resolveScope } = site.services.site;
    const hosts = ['owned.example'];
    const owner = await addOperator('Owner', { displayName: 'Owned', sitecode: 'owned', hosts });
    const grab = { displayName: 'Grab', sitecode: 'grab', hosts };
    await expect(addSite(site.scope.operatorId, grab)).rejects.toThrow('hosts_host_key');
    expect(await resolveScope('owned.example')).toEqual(owner);
    expect(owner.operatorId).not.toBe(site.scope.operatorId);
  });
});

describe('settings of an operator', () => {
  it('are the defaults until changed, one by one, and every operator\'s own', async () => {
    const { addOperator, configure, settingsOf } = site.services.site;
    const hosts = ['settings.example'];
    const other = await addOperator('Other', { displayName: 'Other', sitecode: 'other', hosts });
    expect(await settingsOf(site.scope)).toEqual(DEFAULT_SETTINGS);
    await site.tx((tx) => configure(tx, { recordingQuotaBytes: 5_000_000 }, null));
    await site.tx((tx) => configure(tx, { bFrames: 'transcode' }, null));
    const changed = { ...DEFAULT_SETTINGS, recordingQuotaBytes: 5_000_000, bFrames: 'transcode' };
    expect(await settingsOf(site.scope)).toEqual(changed);
    expect(await settingsOf(other)).toEqual(DEFAULT_SETTINGS);
  });

  it('are all refused when one of them is wrong', async () => {
    const { configure, settingsOf } = site.services.site;
    const before = await settingsOf(site.scope);
    const wrong = { recordingQuotaBytes: 7, standby: { domains: ['https://cam.example'], studios: [] } };
    await expect(site.tx((tx) => configure(tx, wrong, null))).rejects.toThrow(/standby/);
    expect(await settingsOf(site.scope)).toEqual(before);
  });
});

describe('the seller', () => {
  it('is the operator by its name, until an admin sets a company and a reason', async () => {
    const admin = await site.admin();
    expect(await admin.call(getSeller, {})).toEqual({ name: 'Candela', address: '' });
    const company = { name: 'Candela Media GmbH', address: 'Lampenweg 1\n10115 Berlin' };
    expect(await admin.call(changeSeller, { ...company, reason: 'founded' })).toEqual(company);
    expect(await admin.call(getSeller, {})).toEqual(company);
    const { rows } = await site.tx((tx) =>
      sql<{ detail: unknown; reason: string }>`
      select detail, reason from platform.audit where action = 'site.changeSeller'`.execute(tx.sql())
    );
    expect(rows).toEqual([{
      reason: 'founded',
      detail: {
        fields: [
          { name: 'name', before: '"Candela"', after: '"Candela Media GmbH"' },
          { name: 'address', before: '""', after: JSON.stringify(company.address) },
        ],
      },
    }]);
    // The contract and the stored settings count characters alike, also those of two UTF-16 units.
    const longest = { name: '😀'.repeat(200), address: '😀'.repeat(500) };
    expect(await admin.call(changeSeller, { ...longest, reason: 'why' })).toEqual(longest);
    expect((await admin.refused(changeSeller, { ...company, name: ' ', reason: 'why' })).status).toBe(422);
    expect((await admin.refused(changeSeller, { ...company, reason: '' })).status).toBe(422);
  });

  it('is for admins alone, and each operator has its own', async () => {
    for (const other of [await site.visitor(), await site.viewer(), await site.performer()]) {
      expect([401, 403]).toContain((await other.refused(getSeller, {})).status);
      const wish = { name: 'Mine', address: '', reason: 'mine' };
      expect([401, 403]).toContain((await other.refused(changeSeller, wish)).status);
    }
    const { addOperator, sellerIn } = site.services.site;
    const brand = { displayName: 'Brand', sitecode: 'brand', hosts: ['brand.example'] };
    const other = await addOperator('Other House', brand);
    expect(await site.data.tx(other, (tx) => sellerIn(tx, other.siteId)))
      .toEqual({ name: 'Other House', address: '', brand: 'Brand' });
  });
});

describe('in production', () => {
  it('answers at the published host and refuses this machine\'s own names', async () => {
    const production = await createSite({
      settings: { mode: 'production', publicUrl: 'https://cam.example' },
    });
    try {
      const visitor = await production.visitor({ opened: false });
      const ask = (host: string) => visitor.request({ url: SITE_CONFIG, headers: { host } });
      expect((await ask('localhost')).statusCode).toBe(421);
      expect((await ask('127.0.0.1')).statusCode).toBe(421);
      const answered = await ask('cam.example');
      expect(answered.json()).toMatchObject({ mode: 'production', site: { domain_name: 'cam.example' } });
      const cookie = answered.cookies.find(({ name }) => name === '__Host-session');
      expect(cookie).toMatchObject({ secure: true, path: '/' });
    } finally {
      await production.close();
    }
  });
});

describe('pages without sockets', () => {
  const counted = async (): Promise<number> => {
    const visitor = await site.visitor();
    const { body } = await visitor.request({ url: '/metrics' });
    return Number(/^frontend_socket_failures_total (\d+)/mu.exec(body)?.[1]);
  };

  it('report which server they cannot reach, and are counted [A-369]', async () => {
    const before = await counted();
    const visitor = await site.visitor({ opened: false });
    const posted = await visitor.request({
      method: 'POST',
      url: '/api/v1/log/frontend-ws-fail',
      payload: { server: 'localhost' },
    });
    expect([posted.statusCode, posted.json()]).toEqual([200, { success: true }]);
    for (const server of ['localhost', 'localhost:3000', '[::1]:3000', 'nobody.example']) {
      expect(await visitor.call(reportSocketFailure, { server })).toEqual({ success: true });
    }
    expect(await counted()).toBe(before + 5);
    const logged = site.log.filter((line) => line.includes('pages cannot reach the sockets'));
    expect(logged.some((line) => line.includes('localhost'))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['an address', 'https://localhost'],
    ['words', 'two words'],
    ['markup', '<script>'],
    ['a long name', 'x'.repeat(261)],
    ['two lines', 'line\nbreak'],
  ])('can report nothing else: %s', async (_what, server) => {
    const visitor = await site.visitor({ opened: false });
    await expect(visitor.call(reportSocketFailure, { server }))
      .rejects.toMatchObject({ problem: { errorType: 'invalid_input' } });
  });
});
