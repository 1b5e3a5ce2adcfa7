import { HOUR_MS } from '#platform/time/units.ts';
import { getCurrentUser, register } from '#product/accounts/contract.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { createAgeCheckedSite, openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { CARD_ONLY, withCardOnly } from '#product/testkit/age-checks/card-only.ts';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { describe, expect, it } from 'vitest';
import {
  finishCheck,
  getAgeVerification,
  getIncodeEstimationUrl,
  getIncodeVerificationUrl,
  getYotiUrl,
} from './contract.ts';

const { site, providers } = await openAgeCheckedSite();
const offeredIn = async (region: string, where = site): Promise<readonly string[]> => {
  const visitor = await where.visitor({ region });
  return (await visitor.call(getAgeVerification, {})).offered.map(({ kind }) => kind);
};
const gateOf = async (visitor: Visitor): Promise<string> => (await visitor.call(getEntry, {})).gate;
const refusedStart = async (region: string, call: typeof getYotiUrl | typeof getIncodeVerificationUrl) => {
  const visitor = await site.visitor({ region });
  const { errorType } = await visitor.refused(call, call === getYotiUrl ? { type: 'TYPE_DOC_SCAN' } : {});
  return { errorType, cookie: visitor.cookie('age_check') };
};

describe('the checks of a region', () => {
  it('are those of its policy: all of them in Texas', async () => {
    expect(await offeredIn('US-TX')).toEqual([
      'card',
      'yoti_doc_scan',
      'incode_age_verification',
      'support',
      'incode_age_estimation',
      'yoti_digital_id',
    ]);
  });

  it('are without the card in Florida [C-245]', async () => {
    expect(await offeredIn('US-FL')).toEqual([
      'yoti_doc_scan',
      'incode_age_verification',
      'support',
      'incode_age_estimation',
      'yoti_digital_id',
    ]);
  });

  it('are only anonymous ones without documents in France; no other begins there [C-246]', async () => {
    expect(await offeredIn('FR')).toEqual(['incode_age_estimation']);
    expect(await refusedStart('FR', getYotiUrl)).toEqual({ errorType: 'check_unavailable', cookie: null });
    expect(await refusedStart('FR', getIncodeVerificationUrl))
      .toEqual({ errorType: 'check_unavailable', cookie: null });
  });

  it('are none where nothing has to be proved, and none can be begun there', async () => {
    for (const region of ['BR', 'US-CA']) {
      expect(await offeredIn(region)).toEqual([]);
      expect((await refusedStart(region, getYotiUrl)).errorType).toBe('check_unavailable');
    }
  });

  it('are none of a site without providers, which says so', async () => {
    const bare = await createAgeCheckedSite({ without: ['yoti', 'incode', 'card', 'support'] });
    expect(await offeredIn('US-TX', bare.site)).toEqual([]);
    const visitor = await bare.site.visitor({ region: 'US-TX' });
    expect((await visitor.refused(getYotiUrl, { type: 'TYPE_DOC_SCAN' })).errorType).toBe(
      'check_unavailable',
    );
    expect(await visitor.call(getAgeVerification, {})).toEqual({
      gate: 'verify',
      has_failed_attempts: false,
      has_result: false,
      pending: null,
      offered: [],
      minimum_age: 18,
    });
    await bare.close();
  });
});

describe('what a person has proved, where no browser can be asked', () => {
  const gateIn = (personId: number, region: string) =>
    site.tx(async (tx) => (await site.services.compliance.viewerIn(tx, personId, region)).gate);
  const proves = async (visitor: Visitor): Promise<void> => {
    const { url } = await visitor.call(getIncodeEstimationUrl, {});
    await providers.finishes(url, 30);
    await visitor.call(finishCheck, {});
  };

  it('is the proof of a visit, too, for a day, of a member and of a guest who logs in', async () => {
    const [member, other] = [await site.viewer({ region: 'FR' }), await site.viewer({ region: 'FR' })];
    await proves(member);
    const guest = await site.visitor({ region: 'FR' });
    await proves(guest);
    const joined = await guest.call(register, {
      username: 'proved_guest',
      email: 'proved_guest@people.example',
      password: 'correct horse battery',
      birth_date: '1990-02-28',
      type: 'user',
      accept_terms: true,
    });
    const joinedId = joined.user.id ?? 0;
    expect([await gateIn(member.id, 'FR'), await gateIn(joinedId, 'FR'), await gateIn(other.id, 'FR')])
      .toEqual(['open', 'open', 'verify']);
    await site.passes(24 * HOUR_MS);
    expect([await gateIn(member.id, 'FR'), await gateIn(joinedId, 'FR')]).toEqual(['verify', 'verify']);
  });
});

describe('a proof in France', () => {
  it('counts for one visit, in this browser alone, and the provider learns nothing of the site', async () => {
    const member = await site.viewer({ region: 'FR' });
    const before = providers.asked.length;
    const answer = await member.request({ method: 'GET', url: '/api/v1/incode/url/user-age-estimation' });
    await providers.finishes(answer.json<{ url: string }>().url, 30);
    expect(await member.call(finishCheck, {})).toEqual({ state: 'verified', gate: 'open' });
    const again = await site.anotherTabOf(member, { region: 'FR' });
    expect(await gateOf(again)).toBe('verify');
    expect((await again.refused(finishCheck, {})).errorType).toBe('no_check');
    const asked = providers.asked.slice(before).join('\n');
    expect(asked).toContain('/relay');
    for (const ours of ['localhost/', 'verify-age', member.username, member.person.email]) {
      expect(asked).not.toContain(ours);
    }
    // The proof is nobody's, so that it cannot be used again.
    expect(await site.tx((tx) => rowsOf(tx, 'select provider, person_id from age_checks.proofs')))
      .toEqual([{ provider: 'incode', person_id: null }]);
    site.clock.advance(24 * 3_600_000);
    expect(await gateOf(member)).toBe('verify');
  });
});

describe('the current user', () => {
  it('has ageVerification with required, methods and creditCardRequired [A-167]', async () => {
    const texan = await site.viewer({ region: 'US-TX' });
    const answer = await texan.request({ url: '/api/v1/user/current' });
    expect(answer.json<{ user: { ageVerification: unknown } }>().user.ageVerification).toEqual({
      required: true,
      methods: { yoti: null, zendesk: null },
      creditCardRequired: false,
    });
    expect((await (await site.viewer()).call(getCurrentUser, {})).user.ageVerification.required).toBe(false);
    const strict = await createAgeCheckedSite({ settings: withCardOnly });
    const member = await strict.site.viewer({ region: CARD_ONLY });
    expect((await member.call(getCurrentUser, {})).user.ageVerification).toMatchObject({
      required: true,
      creditCardRequired: true,
    });
    await strict.close();
  });

  it('has the state of yoti and zendesk, which each can be pending [A-168]', async () => {
    const member = await site.viewer({ region: 'US-TX' });
    const methods = async () =>
      (await member.request({ url: '/api/v1/user/current' }))
        .json<{ user: { ageVerification: { methods: unknown } } }>().user.ageVerification.methods;
    const { url } = await member.call(getYotiUrl, { type: 'TYPE_DIGITAL_ID' });
    expect(await methods()).toEqual({ yoti: 'pending', zendesk: null });
    const asked = { message: 'I have no phone.' };
    await member.request({ method: 'POST', url: '/api/v1/age-verification/support', payload: asked });
    expect(await methods()).toEqual({ yoti: 'pending', zendesk: 'pending' });
    await providers.finishes(url, 12);
    await providers.settle();
    expect(await methods()).toEqual({ yoti: 'failed', zendesk: 'pending' });
    site.clock.advance(1_000);
    const second = await member.call(getYotiUrl, { type: 'TYPE_DIGITAL_ID' });
    await providers.finishes(second.url, 31);
    await providers.settle();
    expect(await methods()).toEqual({ yoti: 'verified', zendesk: 'pending' });
  });
});

describe('a tip', () => {
  it('is stopped until the age is verified: no token moves [A-228]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ region: 'US-TX', tokens: 100 });
    const tip = (key: string) =>
      viewer.request({
        method: 'POST',
        url: `/api/v1/tip/${performer.username}`,
        payload: { amount: 10 },
        headers: { 'idempotency-key': key },
      });
    const stopped = await tip('before');
    expect([stopped.statusCode, stopped.json<{ errorType: string }>().errorType])
      .toEqual([403, 'age_verification_required']);
    expect(await tokensOf(viewer)).toBe(100);
    const { url } = await viewer.call(getIncodeEstimationUrl, {});
    await providers.finishes(url, 30);
    await viewer.call(finishCheck, {});
    expect((await tip('after')).statusCode).toBe(200);
    expect(await tokensOf(viewer)).toBe(90);
  });
});
