import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getAuthState, getCurrentUser, login } from './contract.ts';
import {
  enterByProvider,
  finishProvider,
  linkProvider,
  listProviders,
  removeProvider,
  signUpByProvider,
  startProvider,
} from './contract/providers.ts';
import { beginTwoFactor, confirmTwoFactor } from './contract/two-factor.ts';

const password = 'correct horse battery';
const GOOGLE_ONLY = 'lagoon.example';
let site: TestSite;
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({
    settings: {
      identityProvidersAt: (host) =>
        simulator.providers.filter(({ name }) =>
          host === 'localhost'
          || host === 'other.example' || (host === GOOGLE_ONLY && name === 'google')
        ),
    },
  });
  const brand = { displayName: 'Lagoon', sitecode: 'lagoon', isWhitelabel: true };
  await site.services.site.addSite(site.scope.operatorId, { ...brand, hosts: [GOOGLE_ONLY] });
  const bare = { ...brand, sitecode: 'bare', hosts: ['bare.example'] };
  await site.services.site.addSite(site.scope.operatorId, bare);
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

type Provider = 'google' | 'facebook';
let made = 0;
const somebody = (email?: string | null, isEmailVerified = true) => {
  made += 1;
  return {
    subject: `subject-${made}`,
    isEmailVerified,
    email: email === undefined ? `new${made}@people.example` : email,
  };
};
type Person = ReturnType<typeof somebody>;

/** Sends a browser to a provider, where somebody logs in; returns the query it comes back with. */
async function goes(
  browser: Visitor,
  person: Person,
  provider: Provider = 'google',
  purpose: 'log_in' | 'link' = 'log_in',
): Promise<string> {
  const { url } = await browser.call(startProvider, { provider, purpose, next: '/girls' });
  return new URL(await simulator.logsIn(url, person)).search.slice(1);
}
const returns = async (...given: Parameters<typeof goes>) =>
  given[0].call(finishProvider, { query: await goes(...given) });
const signUp = (username: string) => ({ username, birth_date: '1990-01-01', accept_terms: true as const });
/** A member who signed up by a provider. */
async function member(provider: Provider = 'google'): Promise<{ browser: Visitor; person: Person }> {
  const [browser, person] = [await site.visitor(), somebody()];
  await returns(browser, person, provider);
  const name = `connected${made}`;
  await browser.call(signUpByProvider, {
    ...signUp(name),
    ...(provider === 'facebook' ? { email: person.email ?? '' } : {}),
  });
  await browser.opens();
  return { browser, person };
}
async function subjectsTo(to: string): Promise<string[]> {
  await site.settle();
  const { mails } = await (await site.admin()).call(listOutbox, {});
  return mails.filter((mail) => mail.to === to).map(({ subject }) => subject);
}

describe('the providers of a site', () => {
  it.each([
    ['localhost', { facebook: true, google: true }],
    [GOOGLE_ONLY, { facebook: false, google: true }],
    ['bare.example', { facebook: false, google: false }],
  ])('are those configured for its host: %s', async (host, available) => {
    const browser = await site.visitor({ host });
    expect((await browser.call(getSiteConfig, {})).oauthAvailable).toEqual(available);
    const start = { provider: 'facebook', purpose: 'log_in' };
    if (!available.facebook) {
      expect(await browser.refused(startProvider, start))
        .toMatchObject({ status: 409, errorType: 'provider_unavailable' });
    }
  });
});

describe('signing up by a provider', () => {
  it('asks for the rest, keeps the age rules, and logs in from then on', async () => {
    const [browser, person] = [await site.visitor(), somebody('Jo.New@people.example')];
    expect(await returns(browser, person)).toEqual({
      outcome: 'sign_up',
      provider: 'google',
      email: 'jo.new@people.example',
      email_verified: true,
      next: '/girls',
    });
    expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
    const [year, ...rest] = site.clock.now().toISOString().slice(0, 10).split('-');
    const tomorrow = `${Number(year) - 18}-${rest[0]}-${String(Number(rest[1]) + 1).padStart(2, '0')}`;
    for (const [input, errorType] of [
      [{ birth_date: tomorrow }, 'underage'],
      [{ birth_date: '1990-02-30' }, 'birth_date_invalid'],
      [{ username: 'a' }, 'username_invalid'],
      [{ username: 'login' }, 'username_taken'],
      [{ accept_terms: false }, 'invalid_input'],
    ] as const) {
      expect(await browser.refused(signUpByProvider, { ...signUp('jonew'), ...input }))
        .toMatchObject({ errorType });
    }
    const { user } = await browser.call(signUpByProvider, signUp('jonew'));
    expect(user).toMatchObject({
      username: 'jonew',
      email: 'jo.new@people.example',
      email_confirmed: true,
      type: 'user',
    });
    await browser.opens();
    expect(await browser.refused(signUpByProvider, signUp('jonew2')))
      .toMatchObject({ errorType: 'provider_over' });
    const other = await site.visitor();
    expect(await returns(other, person)).toMatchObject({ outcome: 'logged_in' });
    expect((await other.call(getCurrentUser, {})).user.username).toBe('jonew');
    expect(await subjectsTo('jo.new@people.example')).toEqual(['New log-in to your account at Candela']);
    const third = await site.visitor();
    expect(await third.refused(login, { login: 'jonew', password }))
      .toMatchObject({ errorType: 'bad_credentials' });
  });

  it('takes no address on trust that the provider does not vouch for', async () => {
    const owner = await site.viewer();
    for (const provider of ['google', 'facebook'] as const) {
      const browser = await site.visitor();
      const person = somebody(owner.person.email, provider === 'facebook');
      expect(await returns(browser, person, provider))
        .toMatchObject({ outcome: 'sign_up', email: owner.person.email, email_verified: false });
      expect(await browser.refused(signUpByProvider, signUp(`bare${made}`)))
        .toMatchObject({ status: 422, errorType: 'email_needed' });
      const { user } = await browser.call(signUpByProvider, {
        ...signUp(`bare${made}`),
        email: owner.person.email,
      });
      expect(user).toMatchObject({ email_confirmed: false });
    }
    expect(await subjectsTo(owner.person.email)).toEqual([
      'You already have an account at Candela',
      'You already have an account at Candela',
    ]);
  });

  it('keeps the language of the guest, and writes to them in it', async () => {
    const [browser, person] = [await site.visitor({ language: 'de' }), somebody()];
    await returns(browser, person, 'facebook');
    await browser.call(signUpByProvider, { ...signUp(`german${made}`), email: person.email ?? '' });
    await browser.opens();
    expect((await browser.call(getCurrentUser, {})).settings.locale).toBe('de');
    expect(await subjectsTo(person.email ?? '')).toEqual(['Willkommen bei Candela']);
  });

  it('lets one of two sign-ups with one account at the provider through', async () => {
    const [browser, person] = [await site.visitor(), somebody()];
    await returns(browser, person);
    const ends = await Promise.all(
      ['twin-a', 'twin-b'].map((name) =>
        browser.call(signUpByProvider, signUp(name)).then(() => 'in', () => 'out')
      ),
    );
    expect(ends.toSorted()).toEqual(['in', 'out']);
  });
});

describe('an address that has an account', () => {
  it('connects nothing until somebody logs in to it', async () => {
    const owner = await site.viewer();
    const [browser, person] = [await site.visitor(), somebody(owner.person.email)];
    expect(await returns(browser, person)).toMatchObject({ outcome: 'known_email' });
    expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect(await browser.refused(signUpByProvider, signUp('takeover')))
      .toMatchObject({ errorType: 'provider_over' });
    expect(await browser.refused(linkProvider, {})).toMatchObject({ status: 401 });
    expect((await owner.call(listProviders, {})).linked).toEqual([]);
    expect(await owner.refused(linkProvider, {})).toMatchObject({ errorType: 'provider_over' });
    await browser.call(login, { login: owner.username, password });
    await browser.opens();
    const { linked } = await browser.call(linkProvider, {});
    expect(linked).toEqual([{
      provider: 'google',
      email: owner.person.email,
      created_at: site.clock.now().toISOString(),
      used_at: null,
    }]);
    expect(await subjectsTo(owner.person.email)).toContain('Google connected at Candela');
    const other = await site.visitor();
    expect(await returns(other, person)).toMatchObject({ outcome: 'logged_in' });
    expect((await other.call(getCurrentUser, {})).user.username).toBe(owner.username);
  });

  it('does so soon after that log-in alone', async () => {
    const owner = await site.viewer();
    const browser = await site.visitor();
    await returns(browser, somebody(owner.person.email));
    await browser.call(login, { login: owner.username, password });
    await browser.opens();
    await site.passes(11 * MINUTE_MS);
    expect(await browser.refused(linkProvider, {})).toMatchObject({ errorType: 'confirmation_needed' });
    await site.passes(5 * MINUTE_MS);
    await browser.call(login, { login: owner.username, password });
    await browser.opens();
    expect(await browser.refused(linkProvider, {})).toMatchObject({ errorType: 'provider_over' });
  });
});

describe('coming back', () => {
  it('works once, in the browser and the session that went, within a quarter of an hour', async () => {
    const [browser, thief, person] = [await site.visitor(), await site.visitor(), somebody()];
    const query = await goes(browser, person);
    expect(await thief.refused(finishProvider, { query }))
      .toMatchObject({ status: 409, errorType: 'provider_over' });
    const state = browser.cookie('provider_state') ?? '';
    thief.setCookie('provider_state', state);
    expect(await thief.refused(finishProvider, { query })).toMatchObject({ errorType: 'provider_over' });
    await browser.call(finishProvider, { query });
    browser.setCookie('provider_state', state);
    expect(await browser.refused(finishProvider, { query })).toMatchObject({ errorType: 'provider_over' });
    const late = await goes(browser, person);
    await site.passes(15 * MINUTE_MS);
    expect(await browser.refused(finishProvider, { query: late }))
      .toMatchObject({ errorType: 'provider_over' });
    expect(await browser.refused(signUpByProvider, signUp('late')))
      .toMatchObject({ errorType: 'provider_over' });
  });

  it('refuses another state, another’s answer, a wrong token, and what a person cancelled', async () => {
    const [browser, thief] = [await site.visitor(), await site.visitor()];
    const foreign = await goes(thief, somebody());
    await goes(browser, somebody());
    expect(await browser.refused(finishProvider, { query: foreign }))
      .toMatchObject({ status: 401, errorType: 'provider_refused' });
    simulator.fault = 'wrong nonce';
    const query = await goes(browser, somebody());
    expect(await browser.refused(finishProvider, { query })).toMatchObject({ errorType: 'provider_refused' });
    simulator.fault = null;
    const cancelled = (await goes(browser, somebody())).replace(/code=[^&]+/u, 'error=access_denied');
    expect(await browser.refused(finishProvider, { query: cancelled }))
      .toMatchObject({ errorType: 'provider_cancelled' });
    const away = await goes(browser, somebody());
    simulator.fault = 'away';
    expect(await browser.refused(finishProvider, { query: away }))
      .toMatchObject({ errorType: 'provider_unavailable' });
    simulator.fault = null;
    expect(site.log).toEqual([]);
  });

  it('asks for the second step where that is on, and lets no suspended person in', async () => {
    const owner = await site.viewer();
    const person = somebody();
    await returns(owner, person, 'google', 'link');
    const { secret } = await owner.call(beginTwoFactor, { password });
    const code = () => generateSync({ secret, epoch: Math.floor(site.clock.now().getTime() / 1000) });
    await owner.call(confirmTwoFactor, { code: code() });
    await site.passes(30_000);
    const [browser, stranger] = [await site.visitor(), await site.visitor()];
    expect(await stranger.refused(enterByProvider, { code: code() }))
      .toMatchObject({ errorType: 'provider_over' });
    expect(await returns(browser, person)).toMatchObject({ outcome: 'code' });
    expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect(await browser.refused(enterByProvider, { code: 'aaaa-aaaa-aaaa' }))
      .toMatchObject({ errorType: 'code_wrong' });
    await browser.call(enterByProvider, { code: code() });
    expect((await browser.call(getCurrentUser, {})).user.username).toBe(owner.username);
    const guesser = await site.visitor();
    await returns(guesser, person);
    for (let at = 0; at < 10; at += 1) await guesser.refused(enterByProvider, { code: 'aaaa-aaaa-aaaa' });
    await site.passes(30_000);
    expect(await guesser.refused(enterByProvider, { code: code() }))
      .toMatchObject({ status: 429, errorType: 'login_locked' });
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, owner.id, {
        suspended: true,
        actorId: null,
        reason: 'for the test',
      })
    );
    const query = await goes(await site.visitor(), person);
    const last = await site.visitor();
    expect(query).toContain('code=');
    expect(await last.refused(finishProvider, { query: await goes(last, person) }))
      .toMatchObject({
        status: 403,
        errorType: 'suspended',
        suspension_date: site.clock.now().toISOString(),
      });
  });
});

describe('one’s own providers', () => {
  it('are connected and disconnected, one of each, with an email', async () => {
    const owner = await site.viewer();
    const first = somebody('jo@elsewhere.example');
    expect(await returns(owner, first, 'google', 'link')).toMatchObject({ outcome: 'linked' });
    expect(await returns(owner, first, 'google', 'link')).toMatchObject({ outcome: 'linked' });
    expect(await owner.refused(finishProvider, { query: await goes(owner, somebody(), 'google', 'link') }))
      .toMatchObject({ errorType: 'provider_linked' });
    await returns(owner, somebody(), 'facebook', 'link');
    const other = await site.viewer();
    expect(await other.refused(finishProvider, { query: await goes(other, first, 'google', 'link') }))
      .toMatchObject({ errorType: 'provider_taken' });
    expect(await owner.call(listProviders, {})).toMatchObject({
      linked: [{ provider: 'google', email: 'jo@elsewhere.example' }, { provider: 'facebook' }],
      available: ['google', 'facebook'],
      has_password: true,
      confirmation: 'none',
    });
    const { linked } = await owner.call(removeProvider, { provider: 'google' });
    expect(linked.map(({ provider }) => provider)).toEqual(['facebook']);
    expect(await owner.refused(removeProvider, { provider: 'google' }))
      .toMatchObject({ status: 404, errorType: 'provider_unlinked' });
    expect((await subjectsTo(owner.person.email)).toSorted()).toEqual([
      'Facebook connected at Candela',
      'Google connected at Candela',
      'Google disconnected at Candela',
    ]);
    expect(await returns(await site.visitor(), first)).toMatchObject({ outcome: 'sign_up' });
  });

  it('are nobody else’s, and take the password once the log-in is old', async () => {
    const [owner, guest] = [await site.viewer(), await site.visitor()];
    for (const [call, input] of [
      [listProviders, {}],
      [linkProvider, {}],
      [removeProvider, { provider: 'google' }],
    ] as const) expect(await guest.refused(call, input)).toMatchObject({ status: 401 });
    const start = { provider: 'google', purpose: 'link' } as const;
    expect(await guest.refused(startProvider, start)).toMatchObject({ errorType: 'confirmation_needed' });
    await site.passes(11 * MINUTE_MS);
    expect(await owner.refused(startProvider, start)).toMatchObject({ errorType: 'confirmation_needed' });
    expect(await owner.refused(startProvider, { ...start, password: 'a wrong one' }))
      .toMatchObject({ errorType: 'bad_credentials' });
    await owner.call(startProvider, { ...start, password });
  });

  it.each(['google', 'facebook'] as const)('stay while they are the only way in: %s', async (provider) => {
    const { browser } = await member(provider);
    expect(await browser.call(listProviders, {})).toMatchObject({ has_password: false });
    expect(await browser.refused(removeProvider, { provider }))
      .toMatchObject({ status: 409, errorType: 'last_way_in' });
    const second = provider === 'google' ? 'facebook' : 'google';
    await returns(browser, somebody(), second, 'link');
    const removals = await Promise.all(
      ([provider, second] as const).map((text) =>
        browser.call(removeProvider, { provider: text }).then(() => 'gone', () => 'stays')
      ),
    );
    expect(removals.toSorted()).toEqual(['gone', 'stays']);
  });

  it('of another operator log nobody in', async () => {
    const { person } = await member();
    await site.services.site.addOperator('Other', {
      displayName: 'Other',
      sitecode: 'other',
      hosts: ['other.example'],
    });
    expect(await returns(await site.visitor({ host: 'other.example' }), person))
      .toMatchObject({ outcome: 'sign_up' });
  });
});
