import type { CallContext } from '#platform/contract/context.ts';
import { seal } from '#platform/data/database/seal.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declareAge, getEntry } from './contract.ts';
import type { ProofOfAge } from './rules.ts';

const SECRET = 'the secret of a site that only tests ever see';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type CookieOptions = Parameters<CallContext['setCookie']>[2];
interface Granted {
  readonly gate: string;
  readonly cookie: { readonly value: string; readonly options: CookieOptions } | null;
}

/** What a browser in a region gets for a proof, as `age-checks` asks for it once a provider has answered. */
function granted(region: string, change: Partial<ProofOfAge> = {}): Granted {
  let cookie: Granted['cookie'] = null;
  const context = {
    scope: site.scope,
    region,
    setCookie: (name: string, value: string, options: CookieOptions) => {
      expect(name).toBe('entry');
      cookie = { value, options };
    },
  } as unknown as CallContext;
  const gate = site.services.compliance.grant(context, {
    method: 'face_estimation',
    liveness: 'passive',
    isAnonymous: true,
    minimumAge: 18,
    provedAt: site.clock.now(),
    ...change,
  });
  return { gate, cookie };
}

/** The gate that a browser meets in a region with an entry cookie. */
async function gateWith(region: string, cookie: string | undefined): Promise<string> {
  const visitor = await site.visitor({ region });
  visitor.setCookie('entry', cookie ?? '');
  return (await visitor.call(getEntry, {})).gate;
}

describe('a proof of age', () => {
  it('opens the gate of its region with a sealed cookie for the days of the policy', async () => {
    const { gate, cookie } = granted('GB');
    expect(gate).toBe('open');
    expect(cookie?.options).toMatchObject({ maxAgeSeconds: 365 * 86_400, httpOnly: true });
    expect(cookie?.value).not.toContain('face');
    expect(await gateWith('GB', cookie?.value)).toBe('open');
    expect(await gateWith('BR', cookie?.value)).toBe('open');
    site.clock.advance(365 * DAY_MS - 1_000);
    expect(await gateWith('GB', cookie?.value)).toBe('open');
    site.clock.advance(1_000);
    expect(await gateWith('GB', cookie?.value)).toBe('verify');
  });

  it('of one visit is a cookie of the session, and ends after 24 hours all the same', async () => {
    const { gate, cookie } = granted('FR');
    expect(gate).toBe('open');
    expect(cookie?.options).toEqual({ httpOnly: true });
    expect(await gateWith('FR', cookie?.value)).toBe('open');
    site.clock.advance(24 * HOUR_MS - 1_000);
    expect(await gateWith('FR', cookie?.value)).toBe('open');
    site.clock.advance(1_000);
    expect(await gateWith('FR', cookie?.value)).toBe('verify');
  });

  it('is refused, without a cookie, where the policy of the region does not accept it', () => {
    const refused = { gate: 'verify', cookie: null };
    expect(granted('US-FL', { method: 'credit_card' })).toEqual(refused);
    expect(granted('US-TX', { method: 'credit_card' }).gate).toBe('open');
    expect(granted('GB', { liveness: 'none' })).toEqual(refused);
    expect(granted('FR', { isAnonymous: false })).toEqual(refused);
    expect(granted('GB', { minimumAge: 17 })).toEqual(refused);
    expect(granted('GB', { provedAt: new Date(site.clock.now().getTime() - 365 * DAY_MS) })).toEqual(refused);
    const yesterday = new Date(site.clock.now().getTime() - 24 * HOUR_MS);
    expect(granted('FR', { provedAt: yesterday })).toEqual(refused);
    expect(granted('unknown', { method: 'mobile_operator' }).gate).not.toBe('open');
  });

  it('does not count in a region that asks for more', async () => {
    const card = granted('US-TX', { method: 'credit_card' }).cookie?.value;
    expect(await gateWith('US-TX', card)).toBe('open');
    expect(await gateWith('US-FL', card)).toBe('verify');
    // Given for a year, where each visit has to prove it; and by a provider that learned the site.
    expect(await gateWith('FR', granted('GB').cookie?.value)).toBe('verify');
    expect(await gateWith('IT', granted('GB', { isAnonymous: false }).cookie?.value)).toBe('verify');
    // Two places that ask for one at each visit accept each other's.
    expect(await gateWith('IT', granted('FR').cookie?.value)).toBe('open');
  });

  it('cannot be made from a declaration, or from the cookie of a proof', async () => {
    const visitor = await site.visitor({ region: 'BR' });
    await visitor.call(declareAge, { of_age: true });
    expect(await gateWith('BR', visitor.cookie('entry') ?? '')).toBe('open');
    expect(await gateWith('GB', visitor.cookie('entry') ?? '')).toBe('verify');

    const good = granted('GB').cookie?.value ?? '';
    const middle = Math.floor(good.length / 2);
    const flipped = good[middle] === 'A' ? 'B' : 'A';
    const now = Math.floor(site.clock.now().getTime() / 1_000);
    const pass = { siteId: site.scope.siteId, region: 'GB', minimumAge: 18, expires: now + 3_600 };
    const proof = {
      method: 'face_estimation',
      liveness: 'passive',
      isAnonymous: true,
      provedAt: now,
      isVisit: false,
    };
    const sealed = (value: unknown, secret = SECRET, purpose = 'compliance.entry') =>
      seal(secret, purpose, value);
    expect(await gateWith('GB', sealed({ ...pass, rule: 'verify', proof }))).toBe('open');
    const tampered = [
      `${good.slice(0, middle)}${flipped}${good.slice(middle + 1)}`,
      good.slice(0, -2),
      sealed({ ...pass, rule: 'verify', proof }, 'another secret of some length'),
      sealed({ ...pass, rule: 'verify', proof }, SECRET, 'age-checks.attempt'),
      sealed({ ...pass, siteId: site.scope.siteId + 1, rule: 'verify', proof }),
      sealed({ ...pass, rule: 'verify' }),
      sealed({ ...pass, rule: 'declare', proof }),
      sealed({ ...pass, rule: 'verify', proof: { ...proof, method: 'palm_reading' } }),
      sealed({ ...pass, rule: 'verify', proof: { ...proof, provedAt: now - 366 * 86_400 } }),
    ];
    for (const cookie of tampered) expect(await gateWith('GB', cookie), cookie).toBe('verify');
  });
});
