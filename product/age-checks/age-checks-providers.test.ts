import { HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { describe, expect, it } from 'vitest';
import {
  cancelCheck,
  finishCheck,
  getAgeVerification,
  getIncodeEstimationUrl,
  getIncodeVerificationUrl,
  getYotiUrl,
} from './contract.ts';

const { site, providers } = await openAgeCheckedSite({ anonymous: [] });

const gateOf = async (visitor: Visitor): Promise<string> => (await visitor.call(getEntry, {})).gate;
const beginsYoti = async (visitor: Visitor, type: 'TYPE_DOC_SCAN' | 'TYPE_DIGITAL_ID' = 'TYPE_DOC_SCAN') =>
  (await visitor.call(getYotiUrl, { type })).url;
/** Passes the page of a provider; the browser comes back to the site. */
const passes = async (url: string, age: number | null = 30): Promise<string> => {
  const back = await providers.finishes(url, age);
  await providers.settle();
  return back;
};

describe('a check with a provider', () => {
  it.each([['TYPE_DOC_SCAN', 'doc_scan', 'PASSIVE'], ['TYPE_DIGITAL_ID', 'digital_id', 'NONE']] as const)(
    'opens the gate after Yoti’s %s, which is the one method of its session [C-307, C-311]',
    async (type, method, level) => {
      const visitor = await site.visitor({ region: 'US-TX' });
      const answer = await visitor.request({ method: 'GET', url: `/api/v1/yoti/url?type=${type}` });
      const { url } = answer.json<{ url: string }>();
      const begun = JSON.parse(
        providers.asked.findLast((line) => line.includes('/sessions '))
          ?.split(' ').slice(2).join(' ') ?? '{}',
      ) as Record<string, { allowed?: boolean }>;
      const allowed = Object.entries(begun).filter(([, value]) => value.allowed === true);
      expect(allowed.map(([name]) => name)).toEqual([method]);
      expect(begun).toMatchObject({ type: 'OVER', [method]: { threshold: 18, level } });
      expect(await gateOf(visitor)).toBe('verify');
      expect(new URL(await passes(url)).pathname).toBe('/verify-age');
      expect(await visitor.call(finishCheck, {})).toEqual({ state: 'verified', gate: 'open' });
      expect(await gateOf(visitor)).toBe('open');
    },
  );

  const throughIncode = async (path: string, flow: string): Promise<void> => {
    const visitor = await site.visitor({ region: 'DE' });
    const answer = await visitor.request({ method: 'GET', url: `/api/v1/${path}` });
    expect(answer.statusCode).toBe(200);
    const started = providers.asked.findLast((line) => line.includes('/omni/start '));
    expect(JSON.parse(started?.split(' ').slice(2).join(' ') ?? '')).toMatchObject({ configurationId: flow });
    await passes(answer.json<{ url: string }>().url);
    expect(await visitor.call(finishCheck, {})).toEqual({ state: 'verified', gate: 'open' });
    expect(await gateOf(visitor)).toBe('open');
  };

  it('opens the gate after an estimation by Incode’s flow for it [C-305, C-310]', async () => {
    expect(getIncodeEstimationUrl.method).toBe('GET');
    await throughIncode('incode/url/user-age-estimation', 'simulated-estimation');
  });

  it('opens the gate after a document at Incode, in another flow [C-306, C-310]', async () => {
    expect(getIncodeVerificationUrl.method).toBe('GET');
    await throughIncode('incode/url/user-age-verification', 'simulated-verification');
  });

  it('takes no other type of Yoti’s', async () => {
    const visitor = await site.visitor({ region: 'US-TX' });
    for (const query of ['', '?type=', '?type=TYPE_AGE_ESTIMATION']) {
      const { statusCode } = await visitor.request({ method: 'GET', url: `/api/v1/yoti/url${query}` });
      expect(statusCode, query).toBe(422);
    }
  });

  it('is pending until its page is passed, and can be given up', async () => {
    const visitor = await site.visitor({ region: 'US-TX' });
    const url = await beginsYoti(visitor);
    expect(await visitor.call(finishCheck, {})).toEqual({ state: 'pending', gate: 'verify' });
    expect((await visitor.call(getAgeVerification, {})).pending)
      .toEqual({ kind: 'yoti_doc_scan', since: site.clock.now().toISOString() });
    await visitor.call(cancelCheck, {});
    expect((await visitor.call(getAgeVerification, {})).pending).toBeNull();
    await passes(url);
    expect((await visitor.refused(finishCheck, {})).errorType).toBe('no_check');
    expect(await gateOf(visitor)).toBe('verify');
  });

  it('that was given up counts as one begun, and keeps a failure that the provider knew of', async () => {
    const visitor = await site.visitor({ region: 'US-TX' });
    for (let count = 0; count < 20; count += 1) {
      await beginsYoti(visitor);
      await visitor.call(cancelCheck, {});
      // The limit by address is for ten minutes.
      site.clock.advance(10 * MINUTE_MS);
    }
    expect((await visitor.refused(getYotiUrl, { type: 'TYPE_DOC_SCAN' })).errorType)
      .toBe('too_many_attempts');
    const child = await site.visitor({ region: 'US-TX' });
    await passes(await beginsYoti(child), 17);
    await child.call(cancelCheck, {});
    expect((await child.call(getAgeVerification, {})).has_failed_attempts).toBe(true);
  });

  it('that fails is said to have failed, for a day [C-103]', async () => {
    const visitor = await site.visitor({ region: 'US-TX' });
    expect((await visitor.call(getAgeVerification, {})).has_failed_attempts).toBe(false);
    await passes(await beginsYoti(visitor), 17);
    expect((await visitor.refused(finishCheck, {})).errorType).toBe('check_failed');
    expect(await gateOf(visitor)).toBe('verify');
    const status = await visitor.request({ method: 'GET', url: '/api/v1/age-verification' });
    expect(status.json()).toMatchObject({ has_failed_attempts: true, pending: null, gate: 'verify' });
    await site.passes(24 * HOUR_MS);
    expect((await visitor.call(getAgeVerification, {})).has_failed_attempts).toBe(false);
  });
});
