import { VirtualClock } from '#platform/data/clock.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { outsideWithin } from '#platform/payments/outside.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AgeCheck, AgeProvider, AgeVerifier, Begun, Opening } from './age-verifier.ts';
import { openAgeSimulators, type AgeSimulators } from './simulators/open.ts';
import type { AgeFault } from './simulators/simulator.ts';
import { verifiersFor } from './verifiers.ts';

const clock = new VirtualClock();
const SITE = 'https://cam.example/verify-age';
const REPORTS = 'https://cam.example/api/v1/yoti/notifications';
let simulators: AgeSimulators;
let verifiers: readonly AgeVerifier[];
beforeAll(async () => {
  simulators = await openAgeSimulators({ port: 0, clock, fetch: async () => new Response(), site: SITE });
  verifiers = verifiersFor(simulators.accounts, outsideWithin(5_000, clock));
});
afterAll(() => simulators.close());
afterEach(() => {
  simulators.fault = null;
});

const verifierOf = (name: AgeProvider): AgeVerifier =>
  verifiers.find((verifier) => verifier.name === name) as AgeVerifier;

async function opens(
  name: AgeProvider,
  check: AgeCheck,
  more: Partial<Opening> = {},
): Promise<{ readonly url: string; readonly begun: Begun }> {
  const opening = {
    check,
    nonce: uuidV4(),
    minimumAge: 18,
    returnUrl: SITE,
    notificationUrl: REPORTS,
    ...more,
  };
  const opened = await verifierOf(name).open(opening);
  if (opened.kind !== 'opened') throw new Error(opened.reason);
  return { url: opened.url, begun: { ...opening, reference: opened.reference } };
}
const resultOf = async (name: AgeProvider, begun: Begun): Promise<string> =>
  (await verifierOf(name).result(begun)).kind;

/** Every check of every provider. */
const CHECKS = [
  ['yoti', 'document'],
  ['yoti', 'digital_id'],
  ['incode', 'estimation'],
  ['incode', 'document'],
] as const;

describe.each(CHECKS)('%s, %s', (name, check) => {
  it('is pending, then passed for an adult and failed for a minor, and stays so', async () => {
    for (const [age, kind] of [[30, 'passed'], [17, 'failed']] as const) {
      const { url, begun } = await opens(name, check);
      expect(await resultOf(name, begun)).toBe('pending');
      expect(await simulators.finishes(url, age)).toContain(SITE);
      expect(await resultOf(name, begun)).toBe(kind);
      // Passing the page again changes nothing.
      await simulators.finishes(url, age === 30 ? 17 : 30);
      expect([await resultOf(name, begun), await resultOf(name, begun)]).toEqual([kind, kind]);
    }
  });

  it('is failed when it was cancelled, or its session has expired', async () => {
    const cancelled = await opens(name, check);
    await simulators.finishes(cancelled.url, null);
    expect(await resultOf(name, cancelled.begun)).toBe('failed');
    const late = await opens(name, check);
    clock.advance(DAY_MS);
    await simulators.finishes(late.url, 30).catch(() => null);
    expect(await resultOf(name, late.begun)).toBe('failed');
  });

  it('is never passed by another session, an invented one, or one that asked for less', async () => {
    const [passed, open] = [await opens(name, check), await opens(name, check)];
    await simulators.finishes(passed.url, 30);
    expect(await resultOf(name, open.begun)).toBe('pending');
    expect(await resultOf(name, { ...open.begun, reference: uuidV4() })).toBe('failed');
    expect(await resultOf(name, { ...passed.begun, minimumAge: 40 })).toBe('failed');
  });

  it.each(['away', 'garbled', 'other session', 'under', 'other check', 'lower age'] as const)(
    'is never passed by an answer that is: %s',
    async (fault: AgeFault) => {
      const { url, begun } = await opens(name, check);
      await simulators.finishes(url, 30);
      simulators.fault = fault;
      expect(await resultOf(name, begun)).not.toBe('passed');
    },
  );

  it('is not begun, nor known, while the provider is away', async () => {
    simulators.fault = 'away';
    const opening = { check, nonce: uuidV4(), minimumAge: 18, returnUrl: SITE, notificationUrl: REPORTS };
    expect((await verifierOf(name).open(opening)).kind).toBe('unreachable');
    expect(await resultOf(name, { ...opening, reference: 'x' })).toBe('unreachable');
    const [nobody] = verifiersFor({
      yoti: { address: 'http://127.0.0.1:9', apiKey: 'a', sdkId: 'b' },
    }, outsideWithin(1_000, clock));
    expect((await nobody?.open(opening))?.kind).toBe('unreachable');
  });
});

describe('what providers get', () => {
  it('is a key that must be right', async () => {
    const { yoti, incode } = simulators.accounts;
    const wrong = verifiersFor({
      yoti: { ...yoti, apiKey: 'wrong' },
      incode: { ...incode, apiKey: 'wrong' },
    }, outsideWithin(5_000, clock));
    for (const verifier of wrong) {
      const opening = {
        check: 'document',
        nonce: uuidV4(),
        minimumAge: 18,
        returnUrl: SITE,
        notificationUrl: REPORTS,
      } as const;
      expect((await verifier.open(opening)).kind).toBe('unreachable');
    }
  });

  it('is a nonce and the relay, and nothing of the site, from an anonymous account', async () => {
    const relayed = await openAgeSimulators({
      port: 0,
      clock,
      fetch: async () => new Response(),
      site: SITE,
      anonymous: ['yoti', 'incode'],
    });
    const anonymous = verifiersFor(relayed.accounts, outsideWithin(5_000, clock));
    for (const verifier of anonymous) {
      const opened = await verifier.open({
        check: 'document',
        nonce: uuidV4(),
        minimumAge: 18,
        returnUrl: SITE,
        notificationUrl: REPORTS,
      });
      expect([verifier.isAnonymous, opened.kind]).toEqual([true, 'opened']);
      // The relay brings the browser back.
      if (opened.kind === 'opened') expect(await relayed.finishes(opened.url, 30)).toContain(SITE);
    }
    expect(relayed.asked.length).toBeGreaterThan(4);
    expect(relayed.asked.join('\n')).not.toContain('cam.example');
    await relayed.close();
    expect(verifiers.map(({ isAnonymous }) => isAnonymous)).toEqual([false, false]);
  });

  it('is answered only for the check that a report names', () => {
    const { read } = verifierOf('yoti');
    expect(read('{"id":"a","state":"COMPLETE"}')).toBe('a');
    for (const body of ['', '[]', '{"id":1}', '{"id":""}', '{"session":"a"}', '{"id":"a"']) {
      expect(read(body), body).toBeNull();
    }
    expect(verifierOf('incode').read('{"id":"a"}')).toBeNull();
  });

  it('is a page that says it is a simulation, and repeats no markup', async () => {
    const { url } = await opens('yoti', 'document');
    const page = await (await fetch(`${url}&x="><script>alert(1)</script>`)).text();
    expect(page).toContain('This is not Yoti. It is a simulation');
    expect(page).not.toContain('<script>');
  });
});
