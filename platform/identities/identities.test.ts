import { systemClock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { facebookProvider } from './graph.ts';
import type { Begun, Ending, IdentityProvider } from './identity-provider.ts';
import { googleProvider } from './openid.ts';
import { openIdentitySimulator, type IdentitySimulator, type SimulatedPerson } from './simulator.ts';

const BACK = 'https://cam.example/free-register/connect';
const JO: SimulatedPerson = { subject: '4711', email: 'jo@people.example', isEmailVerified: true };
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
});
afterAll(() => simulator.close());

const begun = (): Begun => {
  const random = (): string => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), verifier: random() };
};
const providerOf = (name: string): IdentityProvider =>
  simulator.providers.find((provider) => provider.name === name) as IdentityProvider;

/** How a started log-in ends, optionally with tampered values. */
async function ends(
  name: string,
  person: SimulatedPerson,
  { finish, query = (text) => text }: {
    finish?: Partial<Begun>;
    query?: (text: string) => string;
  } = {},
): Promise<Ending> {
  const [provider, mine] = [providerOf(name), begun()];
  const url = await provider.begin(BACK, mine);
  const back = new URL(await simulator.logsIn(url ?? '', person));
  return provider.finish(BACK, query(back.search.slice(1)), { ...mine, ...finish });
}

/** Tests for every provider. */
describe.each(['google', 'facebook'])('%s', (name) => {
  const subject = name === 'google' ? '4711' : 'candela-demo:4711';

  it('says who has logged in, and whether it vouches for the address', async () => {
    expect(await ends(name, JO))
      .toEqual({ subject, email: 'jo@people.example', isEmailVerified: name === 'google' });
    expect(await ends(name, { ...JO, isEmailVerified: false })).toMatchObject({ isEmailVerified: false });
    expect(await ends(name, { ...JO, email: null })).toMatchObject({ email: null, isEmailVerified: false });
  });

  it('sends a browser away with PKCE and a state', async () => {
    const url = new URL(await providerOf(name).begin(BACK, begun()) ?? '');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      redirect_uri: BACK,
      response_type: 'code',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/u),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/u),
    });
    expect(url.href).not.toContain('not%20a%20secret');
  });

  it('refuses another state, another verifier, an invented code, and a code used before', async () => {
    expect(await ends(name, JO, { finish: { state: 'another' } })).toBe('wrong');
    expect(await ends(name, JO, { finish: { verifier: 'a'.repeat(43) } })).toBe('wrong');
    expect(await ends(name, JO, { query: (text) => text.replace(/code=[^&]+/u, 'code=invented') }))
      .toBe('wrong');
    expect(await ends(name, JO, { query: () => '' })).toBe('wrong');
    const [provider, mine] = [providerOf(name), begun()];
    const back = new URL(await simulator.logsIn(await provider.begin(BACK, mine) ?? '', JO));
    expect(await provider.finish(BACK, back.search.slice(1), mine)).toMatchObject({ subject });
    expect(await provider.finish(BACK, back.search.slice(1), mine)).toBe('wrong');
  });

  it('distinguishes a cancelled log-in from a provider that is away', async () => {
    expect(await ends(name, JO, { query: (text) => text.replace(/code=[^&]+/u, 'error=access_denied') }))
      .toBe('cancelled');
    const [provider, mine] = [providerOf(name), begun()];
    const back = new URL(await simulator.logsIn(await provider.begin(BACK, mine) ?? '', JO));
    simulator.fault = 'away';
    expect(await provider.finish(BACK, back.search.slice(1), mine)).toBe('away');
    simulator.fault = null;
  });
});

describe('an ID token', () => {
  it.each(['wrong key', 'wrong nonce', 'other audience', 'other issuer', 'expired'] as const)(
    'with a %s is refused',
    async (fault) => {
      simulator.fault = fault;
      expect(await ends('google', JO)).toBe('wrong');
      simulator.fault = null;
    },
  );
});

it('asks nothing of anybody before somebody logs in, and is away where nobody answers', async () => {
  const before = simulator.asked.length;
  const [google] = [
    googleProvider({
      clientId: 'a',
      clientSecret: 'b',
      issuer: 'http://127.0.0.1:9/google',
      isSimulated: true,
    }),
    facebookProvider({ clientId: 'a', clientSecret: 'b' }),
  ];
  expect(simulator.asked).toHaveLength(before);
  expect(await google.begin(BACK, begun())).toBeNull();
});

it('says on its pages that they are a simulation, and repeats no markup', async () => {
  const url = new URL(await providerOf('google').begin(BACK, begun()) ?? '');
  url.searchParams.set('state', '"><script>alert(1)</script>');
  const page = await (await fetch(url)).text();
  expect(page).toContain('This is not Google. It is a simulation');
  expect(page).not.toContain('<script>');
});
