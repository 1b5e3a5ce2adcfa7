import { VirtualClock } from '#platform/data/clock.ts';
import { seal } from '#platform/data/database/seal.ts';
import { openPlaces } from '#platform/http/places/places.ts';
import { placeDatabase } from '#platform/http/places/testing.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decideClearance,
  declareAge,
  getBlockedRegions,
  getEntry,
  listClearances,
  saveBlockedRegions,
} from './contract.ts';
import { CLEARANCES_PER_PAGE, MAX_PERCEIVED } from './rules.ts';
import { complianceSlice, type Viewer } from './server.ts';

const SECRET = 'the secret of a site that only tests ever see';
const PRODUCTION = { mode: 'production', publicUrl: 'http://cam.example' } as const;
const SEEN = 'passport and release examined, vault 17';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the entry gate', () => {
  it('asks a new browser to declare, and is then open for thirty days', async () => {
    const visitor = await site.visitor();
    expect(await visitor.call(getEntry, {})).toEqual({
      gate: 'declare',
      region: 'demo',
      minimumAge: 18,
      notice: null,
      changes_at: null,
    });
    expect(await visitor.call(declareAge, { of_age: true })).toEqual({ status: 1, gate: 'open' });
    expect((await visitor.call(getEntry, {})).gate).toBe('open');
    site.clock.advance(30 * DAY_MS - 1_000);
    expect((await visitor.call(getEntry, {})).gate).toBe('open');
    site.clock.advance(1_000);
    expect((await visitor.call(getEntry, {})).gate).toBe('declare');
  });

  it('accepts only a yes, and only with a CSRF token', async () => {
    const visitor = await site.visitor();
    expect((await visitor.refused(declareAge, { of_age: false })).errorType).toBe('invalid_input');
    visitor.csrf = null;
    expect((await visitor.refused(declareAge, { of_age: true })).errorType).toBe('csrf');
    expect((await visitor.call(getEntry, {})).gate).toBe('declare');
  });

  it('refuses a declaration where the region requires more', async () => {
    const visitor = await site.visitor({ region: 'US-FL' });
    expect(await visitor.call(getEntry, {})).toMatchObject({ gate: 'verify', region: 'US-FL' });
    const problem = await visitor.refused(declareAge, { of_age: true });
    expect(problem).toMatchObject({ status: 403, errorType: 'age_verification_required' });
    expect(visitor.cookie('entry')).toBeNull();
  });

  it('refuses a cookie that is forged, changed, expired or from elsewhere', async () => {
    const victim = await site.visitor({ ofAge: true });
    const good = victim.cookie('entry') ?? '';
    const pass = {
      siteId: site.scope.siteId,
      region: 'demo',
      minimumAge: 18,
      rule: 'declare',
      expires: site.clock.now().getTime() / 1_000 + 3_600,
    };
    const gateWith = async (cookie: string, region?: string): Promise<string> => {
      const thief = await site.visitor({ region });
      thief.setCookie('entry', cookie);
      return (await thief.call(getEntry, {})).gate;
    };
    expect(await gateWith(seal(SECRET, 'compliance.entry', pass))).toBe('open');
    const wrong = [
      '',
      'open',
      '1',
      good.slice(0, -1),
      `${good}A`,
      good.replace('.', ''),
      `.${good.split('.')[1]}`,
      seal('another secret of some length', 'compliance.entry', pass),
      seal(SECRET, 'broadcast.playback', pass),
      ...[
        { siteId: 2 },
        { region: 'US' },
        { minimumAge: 17 },
        { expires: 1 },
        { rule: 'no' },
        { region: null },
      ].map((change) => seal(SECRET, 'compliance.entry', { ...pass, ...change })),
      seal(SECRET, 'compliance.entry', 'open'),
      seal(SECRET, 'compliance.entry', null),
    ];
    for (const cookie of wrong) expect(await gateWith(cookie), cookie).toBe('declare');
    // A pass of the demo region, used in a place with a rule of its own and in one without.
    expect(await gateWith(good, 'FR')).toBe('verify');
    expect(await gateWith(good, 'BR')).toBe('declare');
  });

  it('refuses a blocked region despite a declaration', async () => {
    const { data, services } = site;
    const row = {
      minimumAge: 18,
      methods: [],
      liveness: 'none',
      proofLasts: 30,
      anonymous: false,
      from: '2000-01-01',
      source: 'made for a test',
    } as const;
    const refusals: string[] = [];
    const context = {
      scope: site.scope,
      region: 'KP',
      cookie: () => null,
      setCookie: () => refusals.push('a cookie was set'),
      refuse: ({ code }: { code: string }) => refusals.push(code),
    };
    const slice = complianceSlice({
      data,
      bus: data.bus,
      accounts: services.accounts,
      notices: services.notices,
      site: services.site,
      extensions: site.extensions,
      settings: {
        secret: SECRET,
        demo: false,
        policies: [{ ...row, region: '*', rule: 'declare' }, { ...row, region: 'KP', rule: 'blocked' }],
      },
    });
    await slice.service.ready(site.scope);
    const declare = slice.callHandlers?.find(({ call }) => call === declareAge);
    await declare?.handle({ of_age: true }, context as never);
    expect(refusals).toEqual(['region_blocked']);
    expect(slice.service.viewerOf(context as never).gate).toBe('blocked');
  });
});

describe('where a request comes from', () => {
  let live: TestSite;
  beforeAll(async () => {
    live = await createSite({
      settings: {
        ...PRODUCTION,
        geoHeader: 'x-geo',
        trustedProxies: ['127.1.0.0/24'],
      },
    });
  });
  afterAll(() => live.close());

  const regionOf = async (
    address: string,
    headers: Record<string, string>,
    at: TestSite = live,
  ): Promise<unknown> => {
    const visitor = await at.visitor({ host: 'cam.example', opened: false, address });
    const response = await visitor.request({ method: 'GET', url: '/api/v1/entry', headers });
    return response.json();
  };

  const unknown = { region: 'unknown', gate: 'verify' };

  it('comes from a trusted proxy only', async () => {
    const florida = { region: 'US-FL', gate: 'verify' };
    expect(await regionOf('127.1.0.7', { 'x-geo': 'br' })).toMatchObject({ region: 'BR', gate: 'declare' });
    expect(await regionOf('127.1.0.7', { 'x-geo': 'US-FL' })).toMatchObject(florida);
    expect(await regionOf('203.0.113.9', { 'x-geo': 'BR' })).toMatchObject(unknown);
    expect(await regionOf('::1', { 'x-geo': 'BR' })).toMatchObject(unknown);
  });

  it('is unknown, with the strictest rule, when the proxy does not know', async () => {
    for (const value of ['', 'XX', 'T1', 'nowhere', 'demo']) {
      expect(await regionOf('127.1.0.7', { 'x-geo': value })).toMatchObject(unknown);
    }
  });

  it('is that of the file of places where no trusted proxy names one', async () => {
    const here = mkdtempSync(join(tmpdir(), 'candela-regions-'));
    const file = join(here, 'places.mmdb');
    const florida = { country: { iso_code: 'US' }, subdivisions: [{ iso_code: 'FL' }] };
    writeFileSync(
      file,
      placeDatabase({
        '203.0.113.0/24': florida,
        '198.51.100.0/24': { country: { iso_code: 'BR' } },
        '192.0.2.0/24': { country: { iso_code: 'XX' } },
      }),
    );
    const clock = new VirtualClock();
    const places = await openPlaces({
      database: file,
      anonymousDatabase: null,
      clock,
      onError: () => undefined,
    });
    const based = await createSite({
      clock,
      settings: { ...PRODUCTION, geoHeader: 'x-geo', trustedProxies: ['127.1.0.0/24'], places },
    });
    const from = (address: string, headers: Record<string, string> = {}) => regionOf(address, headers, based);
    expect(await from('203.0.113.9')).toMatchObject({ region: 'US-FL', gate: 'verify' });
    expect(await from('198.51.100.7')).toMatchObject({ region: 'BR', gate: 'declare' });
    // A header that somebody who is no trusted proxy sends changes nothing.
    expect(await from('203.0.113.9', { 'x-geo': 'BR' })).toMatchObject({ region: 'US-FL' });
    for (const address of ['192.0.2.9', '8.8.8.8', '127.0.0.1']) {
      expect(await from(address)).toMatchObject(unknown);
    }
    const behindProxy = (geo: string) =>
      from('127.1.0.7', { 'x-geo': geo, 'x-forwarded-for': '203.0.113.9' });
    expect(await behindProxy('FR')).toMatchObject({ region: 'FR' });
    expect(await behindProxy('XX')).toMatchObject({ region: 'US-FL' });
    expect(await behindProxy('demo')).toMatchObject({ region: 'US-FL' });
    expect(await behindProxy('T1')).toMatchObject(unknown);
    await based.close();
    places.close();
    rmSync(here, { recursive: true, force: true });
  });

  it('is never the demo region or a test header in production', async () => {
    expect(await regionOf('127.0.0.1', {})).toMatchObject(unknown);
    expect(await regionOf('127.0.0.1', { 'x-candela-test-region': 'BR' })).toMatchObject(unknown);
  });

  it('is not the demo region for other addresses in demo mode', async () => {
    const stranger = await site.visitor({ address: '198.51.100.4' });
    expect(await stranger.call(getEntry, {})).toMatchObject(unknown);
  });
});

describe('clearances', () => {
  it('are granted and revoked by admins, with reasons in the audit log', async () => {
    const admin = await site.admin();
    const performer = await site.performer({ cleared: false });
    const { username } = performer;
    const pending = await admin.call(listClearances, { status: 'pending' });
    expect(pending.lines.find((line) => line.username === username)).toMatchObject({
      status: 'pending',
      birth_date: '1996-01-15',
      decided_at: null,
      decided_by: null,
    });
    const decided = await admin.call(decideClearance, { username, decision: 'clear', reason: SEEN });
    expect(decided.clearance_id).toBeGreaterThan(0);
    const cleared = await admin.call(listClearances, { status: 'cleared' });
    expect(cleared.lines.find((line) => line.username === username)).toMatchObject({
      status: 'cleared',
      decided_by: admin.username,
    });
    expect((await performer.call(getCurrentUser, {})).user).toMatchObject({
      compliance_status: 'cleared',
      identity_confirmed: true,
      ageVerification: { required: false, creditCardRequired: false },
    });
    const revoke = { username, decision: 'revoke', reason: 'the document was not hers' } as const;
    expect(await admin.call(decideClearance, revoke)).toEqual({ status: 1, clearance_id: null });
    expect((await performer.call(getCurrentUser, {})).user.compliance_status).toBe('revoked');
    const audit = await site.tx(async (tx) =>
      (await sql<{ action: string; actor_id: number; reason: string }>`
        select action, actor_id, reason from platform.audit where subject = ${`person:${performer.id}`}
          and action like 'compliance.%' order by id`.execute(tx.sql())).rows
    );
    expect(audit).toEqual([
      { action: 'compliance.clear', actor_id: admin.id, reason: SEEN },
      { action: 'compliance.revoke', actor_id: admin.id, reason: revoke.reason },
    ]);
  });

  it('of viewers who handed in papers are listed and decided, too', async () => {
    const admin = await site.admin();
    const viewer = await site.viewer();
    await site.handsInPapers(viewer);
    const { username } = viewer;
    const isListedAs = async (status: 'pending' | 'cleared' | 'revoked'): Promise<void> => {
      expect((await viewer.call(getCurrentUser, {})).user.compliance_status).toBe(status);
      const { lines } = await admin.call(listClearances, { status });
      expect(lines.map((line) => line.username)).toContain(username);
    };
    await isListedAs('pending');
    await admin.call(decideClearance, { username, decision: 'revoke', reason: 'they cannot be read' });
    await isListedAs('revoked');
    await admin.call(decideClearance, { username, decision: 'clear', reason: SEEN });
    await isListedAs('cleared');
  });

  it('can be seen and decided by nobody else', async () => {
    const performer = await site.performer({ cleared: false });
    const attack = { username: performer.username, decision: 'clear', reason: 'because I say so' };
    const moderator = await site.viewer({ roles: ['site_mod', 'model_admin'] });
    for (const someone of [await site.viewer(), performer, moderator]) {
      const problem = await someone.refused(decideClearance, attack);
      expect(problem).toMatchObject({ status: 403, errorType: 'forbidden' });
      expect(await someone.refused(listClearances, {})).toMatchObject({ status: 403 });
    }
    const guest = await site.visitor();
    expect(await guest.refused(decideClearance, attack)).toMatchObject({ status: 401 });
    expect(await site.tx((tx) => site.services.compliance.clearanceOf(tx, performer.id))).toBeNull();
  });

  it('cannot be decided about oneself, about viewers without papers, or without a reason', async () => {
    const admin = await site.performer({ cleared: false, roles: ['admin'] });
    const own = { username: admin.username, decision: 'clear', reason: SEEN };
    const itself = await admin.refused(decideClearance, own);
    expect(itself).toMatchObject({ status: 403, errorType: 'own_clearance' });
    const viewer = await site.viewer();
    for (const username of [viewer.username, 'nobody-at-all']) {
      const problem = await admin.refused(decideClearance, { ...own, username });
      expect(problem).toMatchObject({ status: 404, errorType: 'performer_unknown' });
    }
    const performer = await site.performer({ cleared: false });
    for (const reason of ['', '  a ', 'x'.repeat(501), undefined]) {
      const problem = await admin.refused(decideClearance, { ...own, username: performer.username, reason });
      expect(problem.errorType).toBe('invalid_input');
    }
    const seeded = site.tx((tx) => site.services.compliance.clear(tx, viewer.id, null, SEEN));
    await expect(seeded).rejects.toThrow('is no performer');
  });

  it('cannot be stored without their evidence, nor deleted', async () => {
    const performer = await site.performer({ cleared: false });
    const evidence = {
      performer_id: performer.id,
      decided_as: '\'system\'',
      decided_by: 'null',
      reason: '\'seen\'',
      decided_at: '\'2026-01-15\'',
      expires_at: '\'2027-01-15\'',
    };
    const insert = (change: Partial<Record<keyof typeof evidence, string>>): Promise<unknown> => {
      const row = { ...evidence, ...change };
      const [columns, values] = [Object.keys(row).join(), Object.values(row).join()];
      const text = `insert into compliance.clearances (${columns}) values (${values})`;
      return site.tx((tx) => sql.raw(text).execute(tx.sql()));
    };
    for (const column of ['decided_as', 'reason', 'decided_at', 'expires_at'] as const) {
      await expect(insert({ [column]: 'null' }), column).rejects.toThrow(/null/);
    }
    await expect(insert({ decided_as: '\'person\'' })).rejects.toThrow(/check/);
    await expect(insert({ expires_at: '\'2026-01-15\'' })).rejects.toThrow(/check/);
    await insert({});
    await expect(insert({})).rejects.toThrow(/clearances_valid/);
    const wipe = site.tx((tx) => sql`delete from compliance.clearances`.execute(tx.sql()));
    await expect(wipe).rejects.toThrow(/permission denied/);
  });

  it('expire after a year, which makes the performer pending again', async () => {
    const admin = await site.admin();
    const performer = await site.performer();
    const clearance = (): Promise<number | null> =>
      site.tx((tx) => site.services.compliance.clearanceOf(tx, performer.id));
    expect(await clearance()).not.toBeNull();
    await site.passes(365 * DAY_MS);
    expect(await clearance()).toBeNull();
    const again = await site.anotherTabOf(admin);
    const { lines } = await again.call(listClearances, { status: 'pending' });
    expect(lines.map((line) => line.username)).toContain(performer.username);
  });

  it('are listed pending first, a page at a time', async () => {
    const admin = await site.admin();
    await site.performer({ cleared: false });
    const first = await admin.call(listClearances, {});
    expect(first.lines.length).toBeLessThanOrEqual(CLEARANCES_PER_PAGE);
    expect(first.pages).toBe(Math.ceil(first.total / CLEARANCES_PER_PAGE));
    const states = first.lines.map((line) => line.status === 'pending');
    expect(states).toEqual([...states].sort((a, b) => Number(b) - Number(a)));
    expect((await admin.call(listClearances, { page: 500 })).lines).toEqual([]);
  });
});

describe('who may perceive whom', () => {
  const viewerOf = (change: Partial<Viewer> = {}): Viewer => ({
    caller: { kind: 'guest', personId: null, sessionId: 's', username: 'guest_1', roles: ['guest'] },
    region: 'BR',
    gate: 'open',
    ...change,
  });

  it('is checked for many at once: cleared, active, and not hidden in the viewer\'s region', async () => {
    const { compliance, accounts } = site.services;
    const seen = await site.performer();
    const uncleared = await site.performer({ cleared: false });
    const suspended = await site.performer();
    const hidden = await site.performer();
    const viewer = await site.viewer();
    await site.tx((tx) => compliance.blockRegions(tx, hidden.id, ['BR', 'US']));
    const suspension = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => accounts.suspend(tx, suspended.id, suspension));
    const ids = [seen.id, uncleared.id, suspended.id, hidden.id, viewer.id, 999_999];
    const perceived = (as: Viewer): Promise<number[]> =>
      site.tx(async (tx) => [...(await compliance.perceivable(tx, as, ids, 'listing'))]);
    expect(await perceived(viewerOf())).toEqual([seen.id]);
    expect(await perceived(viewerOf({ region: 'US-NY' }))).toEqual([seen.id]);
    expect(await perceived(viewerOf({ region: 'DE' }))).toEqual([seen.id, hidden.id]);
    for (const gate of ['declare', 'verify', 'blocked'] as const) {
      expect(await perceived(viewerOf({ gate }))).toEqual([]);
    }
    const self = { ...viewerOf().caller, personId: hidden.id };
    expect(await perceived(viewerOf({ caller: self }))).toEqual([seen.id, hidden.id]);
    const admin = { ...viewerOf().caller, roles: ['member', 'admin'] };
    expect(await perceived(viewerOf({ caller: admin }))).toEqual(ids.slice(0, 4));
    const one = await site.tx((tx) => compliance.mayPerceive(tx, viewerOf(), hidden.id, 'room'));
    expect(one).toBe(false);
  });

  it('follows changed regions, and refuses invalid ones', async () => {
    const { compliance } = site.services;
    const performer = await site.performer();
    const may = (): Promise<boolean> =>
      site.tx((tx) => compliance.mayPerceive(tx, viewerOf(), performer.id, 'room'));
    await site.tx((tx) => compliance.blockRegions(tx, performer.id, ['BR']));
    expect(await may()).toBe(false);
    await site.tx((tx) => compliance.blockRegions(tx, performer.id, []));
    expect(await may()).toBe(true);
    const everywhere = site.tx((tx) => compliance.blockRegions(tx, performer.id, ['*']));
    await expect(everywhere).rejects.toThrow('blocked regions');
    const crowd = Array.from({ length: MAX_PERCEIVED + 1 }, (_, index) => index);
    const asked = site.tx((tx) => compliance.perceivable(tx, viewerOf(), crowd, 'search'));
    await expect(asked).rejects.toThrow('too many');
    expect(await site.tx((tx) => compliance.perceivable(tx, viewerOf(), [], 'feed'))).toEqual(new Set());
  });
});

it('logs nothing', () => expect(site.log).toEqual([]));

describe('the places a performer blocks', () => {
  it('are their own alone, cleared or not, and the list is replaced', async () => {
    const [performer, other] = [await site.performer(), await site.performer({ cleared: false })];
    expect(await performer.call(getBlockedRegions, {})).toEqual({ regions: [] });
    expect(await performer.call(saveBlockedRegions, { regions: ['US-FL', 'DE', 'DE'] }))
      .toEqual({ regions: ['DE', 'US-FL'] });
    expect(await other.call(saveBlockedRegions, { regions: ['RO'] })).toEqual({ regions: ['RO'] });
    expect(await performer.call(getBlockedRegions, {})).toEqual({ regions: ['DE', 'US-FL'] });
    expect(await other.call(getBlockedRegions, {})).toEqual({ regions: ['RO'] });
    const states = await site.tx((tx) => site.services.compliance.statesOf(tx, [performer.id]));
    expect(states.get(performer.id)?.blockedRegions).toEqual(['DE', 'US-FL']);
    expect(await performer.call(saveBlockedRegions, { regions: [] })).toEqual({ regions: [] });
  });

  it('are refused from anybody else, for anybody else, and where they are no places', async () => {
    const performer = await site.performer();
    for (const who of [await site.viewer(), await site.admin()]) {
      expect((await who.refused(saveBlockedRegions, { regions: ['DE'] })).status).toBe(403);
      expect((await who.refused(getBlockedRegions, {})).status).toBe(403);
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(saveBlockedRegions, { regions: ['DE'] })).status).toBe(401);
    for (const wrong of [
      { regions: ['Germany'] },
      { regions: ['*'] },
      { regions: ['demo'] },
      { regions: Array.from({ length: 401 }, () => 'DE') },
      { regions: ['DE'], performer_id: 1 },
      {},
    ]) {
      expect((await performer.refused(saveBlockedRegions, wrong as never)).status).toBe(422);
    }
    expect(await performer.call(getBlockedRegions, {})).toEqual({ regions: [] });
  });
});
