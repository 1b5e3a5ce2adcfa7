import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { login, register } from '#product/accounts/contract.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  finishCheck,
  getAgeVerification,
  getIncodeEstimationUrl,
  getYotiUrl,
  receiveYotiReport,
} from './contract.ts';

const { site, providers } = await openAgeCheckedSite({ anonymous: [] });
// Each test decides which reports arrive, so that the site's own question counts.
providers.sendsReports = false;
afterEach(() => {
  providers.fault = null;
});
const REGION = 'US-TX';
const DOCUMENT = { type: 'TYPE_DOC_SCAN' } as const;
const gateOf = async (visitor: Visitor): Promise<string> => (await visitor.call(getEntry, {})).gate;
const finishes = async (visitor: Visitor): Promise<unknown> => {
  const answer = await visitor.request({
    method: 'POST',
    url: '/api/v1/age-verification/finish',
    payload: {},
  });
  const body = answer.json<{ errorType?: string; state?: string }>();
  return body.errorType ?? body.state;
};
/** Begins a check and passes it at the provider. */
async function passesAt(visitor: Visitor, age: number | null = 30): Promise<string> {
  const { url } = await visitor.call(getYotiUrl, DOCUMENT);
  await providers.finishes(url, age);
  return url;
}
/** Sends a report as anybody can. */
const report = (visitor: Visitor, body: string) =>
  visitor.request({ method: 'POST', url: '/api/v1/yoti/notifications', payload: body });

describe('a check belongs to the browser that began it', () => {
  it('and its cookie is worth nothing in another one', async () => {
    const [visitor, thief] = [await site.visitor({ region: REGION }), await site.visitor({ region: REGION })];
    await passesAt(visitor);
    thief.setCookie('age_check', visitor.cookie('age_check') ?? '');
    expect(await finishes(thief)).toBe('no_check');
    expect(await gateOf(thief)).toBe('verify');
    expect(await finishes(visitor)).toBe('verified');
    expect(await gateOf(visitor)).toBe('open');
  });

  it('and its cookie cannot be written by anybody but the site', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    const good = visitor.cookie('age_check') ?? '';
    const [text = '', mac = ''] = good.split('.');
    const other = Buffer.from(text, 'base64url').toString().replace(/"siteId":\d+/u, '"siteId":2');
    for (
      const bad of ['', 'x', `${text}.`, `${Buffer.from(other).toString('base64url')}.${mac}`, `${good}A`]
    ) {
      visitor.setCookie('age_check', bad);
      expect(await finishes(visitor), bad).toBe('no_check');
    }
    expect(await gateOf(visitor)).toBe('verify');
    expect(visitor.readableCookies).not.toContain('age_check');
  });

  it('and to the person in it: the next account there gets nothing', async () => {
    const first = await site.viewer({ region: REGION });
    await passesAt(first);
    const second = await site.viewer({ region: REGION });
    second.setCookie('age_check', first.cookie('age_check') ?? '');
    expect(await finishes(second)).toBe('no_check');
    expect(await gateOf(second)).toBe('verify');
    expect(await finishes(first)).toBe('verified');
  });

  it('and stays theirs when they sign up or log in meanwhile', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    const password = 'correct horse battery';
    await visitor.call(register, {
      username: 'signedup1',
      email: 'signedup1@people.example',
      password,
      birth_date: '1990-01-01',
      type: 'user',
      accept_terms: true,
    });
    await visitor.opens();
    expect(await finishes(visitor)).toBe('verified');
    expect(await gateOf(visitor)).toBe('open');
    // Their other browser gets the pass at log-in.
    const elsewhere = await site.visitor({ region: 'DE' });
    expect(await gateOf(elsewhere)).toBe('verify');
    await elsewhere.call(login, { login: 'signedup1', password });
    expect(await gateOf(elsewhere)).toBe('open');
  });
});

describe('one check opens one gate', () => {
  it('once: a copy of the cookie from before gives no second pass', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    const cookie = visitor.cookie('age_check') ?? '';
    expect(await finishes(visitor)).toBe('verified');
    expect(visitor.cookie('age_check')).toBeNull();
    visitor.setCookie('age_check', cookie);
    visitor.setCookie('entry', '');
    expect(await visitor.call(finishCheck, {})).toEqual({ state: 'verified', gate: 'verify' });
    expect(await gateOf(visitor)).toBe('verify');
  });

  it('also when it is finished twice at once', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    const both = await Promise.all([finishes(visitor), finishes(visitor)]);
    expect(both).toContain('verified');
    expect(await gateOf(visitor)).toBe('open');
  });

  it('not after a day', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    site.clock.advance(DAY_MS);
    expect(await finishes(visitor)).toBe('no_check');
    expect(await gateOf(visitor)).toBe('verify');
  });

  it('not once the provider’s session has expired', async () => {
    const visitor = await site.visitor({ region: REGION });
    await visitor.call(getYotiUrl, DOCUMENT);
    site.clock.advance(HOUR_MS);
    expect(await finishes(visitor)).toBe('check_failed');
    expect(await gateOf(visitor)).toBe('verify');
  });
});

describe('the provider’s answer', () => {
  it.each(
    [
      ['other session', 'provider_unavailable'],
      ['garbled', 'provider_unavailable'],
      ['away', 'provider_unavailable'],
      ['under', 'check_failed'],
      ['other check', 'check_failed'],
      ['lower age', 'check_failed'],
    ] as const,
  )('opens nothing when it is: %s', async (fault, expected) => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor);
    providers.fault = fault;
    expect(await finishes(visitor)).toBe(expected);
    expect(await gateOf(visitor)).toBe('verify');
    providers.fault = null;
    // A failure is final; what was never known can be asked again.
    expect(await finishes(visitor)).toBe(expected === 'check_failed' ? 'no_check' : 'verified');
  });

  it('is what counts, not the address that the browser comes back to', async () => {
    const visitor = await site.visitor({ region: REGION });
    const passed = await passesAt(await site.visitor({ region: REGION }));
    await visitor.call(getYotiUrl, DOCUMENT);
    const { search } = new URL(passed);
    await visitor.request({ url: `/verify-age${search}&state=COMPLETE` });
    expect(await finishes(visitor)).toBe('pending');
    expect(await gateOf(visitor)).toBe('verify');
  });

  it('fails a check that is left on the provider’s page, and nothing begins while it is away', async () => {
    const visitor = await site.visitor({ region: REGION });
    await passesAt(visitor, null);
    expect(await finishes(visitor)).toBe('check_failed');
    providers.fault = 'away';
    expect((await visitor.refused(getYotiUrl, DOCUMENT)).errorType).toBe('provider_unavailable');
    expect((await visitor.refused(getIncodeEstimationUrl, {})).errorType).toBe('provider_unavailable');
    expect(visitor.cookie('age_check')).toBeNull();
  });
});

describe('a report of Yoti', () => {
  it('is only a hint: a forged one makes the site ask, and believes nothing', async () => {
    const [visitor, forger] = [await site.visitor({ region: REGION }), await site.visitor()];
    const { url } = await visitor.call(getYotiUrl, DOCUMENT);
    const id = new URL(url).searchParams.get('sessionId') ?? '';
    const forged = JSON.stringify({ id, state: 'COMPLETE', result: 'COMPLETE', age: 40, check_type: 'OVER' });
    expect((await forger.call(receiveYotiReport, { body: forged })).status).toBe(200);
    expect(await finishes(visitor)).toBe('pending');
    expect(await gateOf(visitor)).toBe('verify');
    for (const [body, status] of [['', 400], ['{}', 400], ['{"id":7}', 400], [
      '{"id":"unknown"}',
      200,
    ]] as const) {
      expect((await report(forger, body)).statusCode, body).toBe(status);
    }
  });

  it('ends the check once, however often it comes, and the browser still gets its pass', async () => {
    const visitor = await site.visitor({ region: REGION });
    const { url } = await visitor.call(getYotiUrl, DOCUMENT);
    await providers.finishes(url, 30);
    for (let round = 0; round < 3; round += 1) expect(await providers.reports(url)).toBe(200);
    // The site does not have to ask again.
    providers.fault = 'away';
    expect(await finishes(visitor)).toBe('verified');
    expect(await gateOf(visitor)).toBe('open');
  });

  it('is asked for again while Yoti does not answer about it', async () => {
    const visitor = await site.visitor({ region: REGION });
    const { url } = await visitor.call(getYotiUrl, DOCUMENT);
    const id = new URL(url).searchParams.get('sessionId') ?? '';
    providers.fault = 'away';
    expect((await report(visitor, JSON.stringify({ id }))).statusCode).toBe(503);
  });
});

describe('how many checks may begin', () => {
  it('is ten in ten minutes from one address', async () => {
    const visitor = await site.visitor({ region: REGION });
    for (let count = 0; count < 10; count += 1) await visitor.call(getYotiUrl, DOCUMENT);
    expect((await visitor.refused(getYotiUrl, DOCUMENT)).status).toBe(429);
  });

  it('is twenty a day for one browser', async () => {
    const visitor = await site.visitor({ region: REGION });
    for (let count = 0; count < 20; count += 1) {
      await visitor.call(getYotiUrl, DOCUMENT);
      site.clock.advance(10 * 60_000);
    }
    expect((await visitor.refused(getYotiUrl, DOCUMENT)).errorType).toBe('too_many_attempts');
    await site.passes(DAY_MS);
    await visitor.call(getYotiUrl, DOCUMENT);
    expect((await visitor.call(getAgeVerification, {})).pending?.kind).toBe('yoti_doc_scan');
  });
});
