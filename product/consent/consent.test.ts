import type { Consent } from '#platform/contract/context.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { logout } from '#product/accounts/contract.ts';
import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { createSite, Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor, VisitorOptions } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getConsent, saveConsent } from './contract.ts';
import { choiceIn, CONSENT_COOKIE, CONSENT_DAYS, cookieOf } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const NONE: Consent = { preferences: false, statistics: false, marketing: false };
const ALL: Consent = { preferences: true, statistics: true, marketing: true };
const ONLY_PREFERENCES: Consent = { ...NONE, preferences: true };

/** The consent that the server sees in a request of this browser. */
async function inForce(
  visitor: Visitor,
  { region = 'DE', objects = false }: VisitorOptions = {},
): Promise<Consent> {
  const request = {
    host: 'localhost',
    address: '127.0.0.1',
    cookie: (name: string) => visitor.cookie(name),
    headers: objects ? { 'sec-gpc': '1' } : {},
    setCookie: () => undefined,
  };
  const { caller, allowed } = await site.services.accounts.resolveCaller(site.scope, request);
  return site.services.consent.inForce({ ...request, scope: site.scope, region, caller, allowed });
}

const stored = async (personId: number) =>
  (await site.tx((tx) =>
    sql<{
      preferences: boolean;
      chosen_in: string;
      region: string;
      version: number;
    }>`select preferences, chosen_in, region, version from consent.choices
  where person_id = ${personId} order by id`.execute(tx.sql<object>())
  )).rows;

const chosenIn = (visitor: Visitor): Consent | undefined =>
  choiceIn(visitor.cookie(CONSENT_COOKIE), site.clock.now().getTime())?.consent;

describe('a guest', () => {
  it('has allowed nothing before they answer, and afterwards what they said', async () => {
    const guest = await site.visitor({ consent: null });
    expect(await inForce(guest)).toEqual(NONE);
    const answered = await guest.call(saveConsent, { ...ONLY_PREFERENCES, chosen_in: 'banner' });
    expect(answered).toEqual(ONLY_PREFERENCES);
    expect(await inForce(guest)).toEqual(ONLY_PREFERENCES);
    await guest.call(saveConsent, { ...ALL, chosen_in: 'settings' });
    expect(await inForce(guest)).toEqual(ALL);
    await guest.call(saveConsent, { ...NONE, chosen_in: 'settings' });
    expect(await inForce(guest)).toEqual(NONE);
  });

  it('is asked again when the choice is too old, and nothing is allowed until then', async () => {
    const guest = await site.visitor();
    expect(await inForce(guest)).toEqual(ALL);
    const atMs = site.clock.now().getTime() - CONSENT_DAYS * DAY_MS;
    guest.setCookie(CONSENT_COOKIE, cookieOf({ consent: ALL, atMs, isOfAccount: false }));
    expect(await inForce(guest)).toEqual(NONE);
  });

  it('cannot be answered for by another site’s page, nor without saying what', async () => {
    const guest = await site.visitor({ consent: null });
    const forged = await guest.request({
      method: 'POST',
      url: '/api/v1/consent',
      payload: { ...ALL, chosen_in: 'banner' },
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(forged.statusCode).toBe(403);
    expect(await guest.refused(saveConsent, { chosen_in: 'banner' })).toMatchObject({ status: 422 });
    expect(await guest.refused(saveConsent, { ...ALL, chosen_in: 'browser' })).toMatchObject({ status: 422 });
    expect(await inForce(guest)).toEqual(NONE);
  });
});

describe('a browser that objects', () => {
  it('refuses statistics and marketing, whatever is chosen in it', async () => {
    const guest = await site.visitor({ consent: null, objects: true });
    expect(await guest.call(saveConsent, { ...ALL, chosen_in: 'banner' })).toEqual(ONLY_PREFERENCES);
    expect(chosenIn(guest)).toEqual(ONLY_PREFERENCES);
    const accepting = await site.visitor({ objects: true });
    expect(await inForce(accepting, { objects: true })).toEqual(ONLY_PREFERENCES);
  });
});

describe('a person', () => {
  it('takes their choice from browser to browser, each one a row of evidence', async () => {
    const viewer = await site.viewer({ consent: null });
    expect(await inForce(viewer)).toEqual(NONE);
    await viewer.call(saveConsent, { ...ONLY_PREFERENCES, chosen_in: 'settings' });
    const elsewhere = await site.anotherTabOf(viewer);
    expect(chosenIn(elsewhere)).toEqual(ONLY_PREFERENCES);
    expect(await inForce(elsewhere)).toEqual(ONLY_PREFERENCES);
    await viewer.call(saveConsent, { ...NONE, chosen_in: 'settings' });
    // It applies at once, although the other browser's cookie still says otherwise.
    expect(await inForce(elsewhere)).toEqual(NONE);
    await elsewhere.call(getConsent, {});
    expect(chosenIn(elsewhere)).toEqual(NONE);
    expect(await stored(viewer.id)).toMatchObject([
      { preferences: true, chosen_in: 'settings', version: 1 },
      { preferences: false, chosen_in: 'settings' },
    ]);
  });

  it('keeps what they chose there as a guest, and is not bound by what another account chose', async () => {
    const first = await site.memberOf((await site.viewer()).username, { consent: ONLY_PREFERENCES });
    expect(await stored(first.id)).toMatchObject([{ preferences: true, chosen_in: 'browser' }]);
    await first.call(logout, {});
    const { person } = await site.viewer({ consent: null });
    const second = new Member(site, person, { address: '127.3.0.1', consent: null });
    second.setCookie(CONSENT_COOKIE, first.cookie(CONSENT_COOKIE) ?? '');
    await second.opens();
    await second.logsIn();
    expect(await inForce(second)).toEqual(NONE);
    expect(await stored(second.id)).toEqual([]);
  });

  it('reads their choices in the copy of their data', async () => {
    const viewer = await site.memberOf((await site.viewer()).username, { consent: ONLY_PREFERENCES });
    const { ticket } = await viewer.call(askForCopy, {});
    const { body } = await viewer.request({ method: 'GET', url: `/api/v1/user/data.json?ticket=${ticket}` });
    const { data } = JSON.parse(body) as { data: Record<string, object[]> };
    expect(data['consent.choices']).toMatchObject([{ ...ONLY_PREFERENCES, chosen_in: 'browser' }]);
  });
});

describe('where an operator asks', () => {
  it('is everywhere; in Europe alone, what is taken as given elsewhere can be withdrawn', async () => {
    const admin = await site.admin();
    const asked = async (region: string) =>
      (await (await site.visitor({ consent: null, region })).call(getConsent, {})).asked;
    expect([await asked('DE'), await asked('US-FL')]).toEqual([true, true]);
    await admin.call(changeOperatorRules, { consent_asked: 'europe', reason: 'our lawyers agree' });
    await site.passes(10_000);
    expect([await asked('DE'), await asked('GB'), await asked('US-FL')]).toEqual([true, true, false]);
    const european = await site.visitor({ consent: null });
    const american = await site.visitor({ consent: null });
    expect(await inForce(european, { region: 'CH' })).toEqual(NONE);
    expect(await inForce(american, { region: 'US-FL' })).toEqual({ ...ALL, marketing: false });
    expect(await inForce(american, { region: 'US-FL', objects: true })).toEqual(ONLY_PREFERENCES);
    await american.call(saveConsent, { ...NONE, chosen_in: 'settings' });
    expect(await inForce(american, { region: 'US-FL' })).toEqual(NONE);
    await admin.call(changeOperatorRules, { consent_asked: 'everywhere', reason: 'our lawyers do not' });
    await site.passes(10_000);
  });
});
