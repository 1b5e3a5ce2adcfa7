import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser, register, updateProfile } from './contract.ts';
import { requestDeletion } from './contract/life/deletion.ts';
import { changeUsername } from './contract/life/username.ts';
import { finishProvider, signUpByProvider, startProvider } from './contract/providers.ts';
import { setRole } from './contract/staff-roles.ts';

const PASSWORD = 'a horse of another colour';
/** The host of the operator's second site; that of the first is the testkit's. */
const LAGOON = 'lagoon.example';
let site: TestSite;
let simulator: IdentitySimulator;
beforeAll(async () => {
  simulator = await openIdentitySimulator({ port: 0, clock: systemClock });
  site = await createSite({ settings: { identityProvidersAt: () => simulator.providers } });
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: [LAGOON],
    isWhitelabel: true,
  });
});
afterAll(async () => {
  await site.close();
  await simulator.close();
});

const signsUp = async (username: string): Promise<string> => {
  const visitor = await site.visitor();
  const answer = await visitor.refused(register, {
    username,
    email: `${crypto.randomUUID()}@people.example`,
    password: PASSWORD,
    birth_date: '1990-05-05',
    type: 'user',
    accept_terms: true,
  }).catch(() => ({ errorType: 'signed_up' }));
  return answer.errorType;
};

describe('names that people choose', () => {
  it('pose as staff by no call that takes a name', async () => {
    const connected = await site.visitor();
    const { url } = await connected.call(startProvider, { provider: 'google', purpose: 'log_in', next: '/' });
    const back = await simulator.logsIn(url, {
      subject: 'poses',
      isEmailVerified: true,
      email: 'poses@people.example',
    });
    await connected.call(finishProvider, { query: new URL(back).search.slice(1) });
    const born = { birth_date: '1990-05-05', accept_terms: true as const };
    const password = PASSWORD;
    for (const name of [
      'candela-help',
      'the-admin',
      'support_24',
      'candelateam',
      'siteadmin',
      'supportteam',
      's1teadm1n',
      'cande1a',
      'cande1a-team',
      'candeia-help',
      'mycandeia',
      'anna_adrnin',
      'anna-admins',
      'kelly-he1pdesk',
      'kelly-customer-care',
      'anna-help-desk',
      'anna_adm1n44',
      'kelly-siteadmin',
    ]) {
      const [viewer, newcomer] = [await site.viewer(), await site.visitor()];
      const refusals = [
        await newcomer.refused(register, {
          ...born,
          username: name,
          email: 'poses-too@people.example',
          password,
          type: 'user',
        }),
        await newcomer.refused(register, {
          ...born,
          username: name,
          email: 'poses-too@people.example',
          password,
          type: 'model',
        }),
        await viewer.refused(changeUsername, { username: name }),
        await viewer.refused(updateProfile, { display_name: name }),
        await connected.refused(signUpByProvider, { ...born, username: name }),
      ];
      expect([name, ...refusals.map(({ errorType }) => errorType)]).toEqual([
        name,
        'username_taken',
        'username_taken',
        'username_taken',
        'display_name_refused',
        'username_taken',
      ]);
    }
    await connected.call(signUpByProvider, { ...born, username: 'plain-name' });
  });

  it.each(['localhost', LAGOON])(
    'pose at %s as none of the operator’s sites, by no call that takes a name',
    async (host) => {
      const connected = await site.visitor({ host });
      const { url } = await connected.call(startProvider, { provider: 'google', purpose: 'log_in' });
      const email = `poses@${host}.example`;
      const back = await simulator.logsIn(url, { subject: host, isEmailVerified: true, email });
      await connected.call(finishProvider, { query: new URL(back).search.slice(1) });
      const born = { birth_date: '1990-05-05', accept_terms: true as const };
      const password = PASSWORD;
      for (const name of ['candela-team', 'Candela', 'lagoon-help', 'Lagoon', 'lagoonteam']) {
        const [viewer, newcomer] = [await site.viewer({ host }), await site.visitor({ host })];
        const account = { ...born, username: name, email: 'poses-too@people.example', password };
        const refusals = [
          await newcomer.refused(register, { ...account, type: 'user' }),
          await newcomer.refused(register, { ...account, type: 'model' }),
          await viewer.refused(changeUsername, { username: name }),
          await viewer.refused(updateProfile, { display_name: name }),
          await connected.refused(signUpByProvider, { ...born, username: name }),
        ];
        expect([name, ...refusals.map(({ errorType }) => errorType)]).toEqual([
          name,
          'username_taken',
          'username_taken',
          'username_taken',
          'display_name_refused',
          'username_taken',
        ]);
      }
      const viewer = await site.viewer({ host });
      for (const display_name of ['Lagoon Team', 'Candela Team', 'Ana (Lagoon)']) {
        const { errorType } = await viewer.refused(updateProfile, { display_name });
        expect([display_name, errorType]).toEqual([display_name, 'display_name_refused']);
      }
      await connected.call(signUpByProvider, { ...born, username: `plain-${host.slice(0, 5)}` });
    },
  );

  it.each([
    ['localhost', 'lagoon-help', 'Lagoon Team'],
    [LAGOON, 'candela-team', 'Candela'],
  ])('go with the last role that is taken at %s, if they are another site’s', async (host, held, shown) => {
    const [chief, staff] = [
      await site.viewer({ host, roles: ['super_admin'] }),
      await site.viewer({ roles: ['site_mod'], username: held }),
    ];
    await staff.call(updateProfile, { display_name: shown });
    const change = { username: held, role: 'site_mod' as const, on: false, reason: 'left' };
    const neutral = `member-${staff.id}`;
    expect(await chief.call(setRole, change)).toMatchObject({ username: neutral, display_name: neutral });
    const other = await site.viewer({ roles: ['site_mod'] });
    await other.call(updateProfile, { display_name: shown });
    expect(await chief.call(setRole, { ...change, username: other.username }))
      .toMatchObject({ username: other.username, display_name: other.username });
  });

  it('pose as staff beside a name of one’s own in no profile, and honest ones are taken', async () => {
    const viewer = await site.viewer();
    for (const display_name of [
      'CandeIa',
      'CandeIa Team',
      'Kelly (rnoderator)',
      'Ana Adrnin',
      'Anna heIpdesk',
      'Anna Admins',
      'Anna, Customer Service',
      'Anna (Help Desk)',
      'Kelly Customer Care',
      'Kelly (siteadmin)',
    ]) {
      const { errorType } = await viewer.refused(updateProfile, { display_name });
      expect([display_name, errorType]).toEqual([display_name, 'display_name_refused']);
    }
    for (const display_name of ['Anna Service', 'Candy Ela', 'Maria Candeias', 'Стелла', 'Modesta']) {
      await viewer.call(updateProfile, { display_name });
      expect((await viewer.call(getCurrentUser, {})).user.display_name).toBe(display_name);
    }
    for (const username of ['adina', 'candy-ela', 'anna-service', 'modesta', 'stafford']) {
      expect([username, await signsUp(username)]).toEqual([username, 'signed_up']);
    }
  });

  it('are shown cleaned, and refused where they show nothing, are an address or pose as staff', async () => {
    const viewer = await site.viewer();
    const called = async (display_name: string): Promise<string> => {
      await viewer.call(updateProfile, { display_name });
      return (await viewer.call(getCurrentUser, {})).user.display_name;
    };
    expect(await called('  Ana\u202E \uFFFE  e\u0301va ')).toBe('Ana éva');
    expect(await called(`x${'\u0335'.repeat(20)}`)).toBe('x\u0335\u0335');
    for (const refused of [
      ' ',
      '\u3164',
      '\u200B\u2060',
      '\u0301',
      'Candela Support',
      'https://evil.example',
      'Ana evil.example',
    ]) {
      const { errorType } = await viewer.refused(updateProfile, { display_name: refused });
      expect([refused, errorType]).toEqual([refused, 'display_name_refused']);
    }
    // Characters that show nothing do not make another word of a word.
    for (const refused of [
      'Support\u3164',
      '\u115FAdmin',
      'Adm\u1160in',
      'Can\uFFA0dela',
      'Anna A\u200Cd\u200Cm\u200Ci\u200Cn',
      'Help\u3164Desk',
      'Sup\u2800port',
      'Anna S\u2800t\u2800a\u2800f\u2800f',
      'anna\u2800s\u200Du\u200Dp\u200Dport',
      'anna\u3164a\u200Cd\u200Cm\u200Cin',
    ]) {
      const { errorType } = await viewer.refused(updateProfile, { display_name: refused });
      expect([refused, errorType]).toEqual([refused, 'display_name_refused']);
    }
    for (const fine of ['می\u200Cخواهم', 'Ana 👨\u200D👩\u200D👧']) expect(await called(fine)).toBe(fine);
    // A name saved before the rule may stay, so that the rest of the profile can be saved.
    await site.tx((tx) =>
      sql`
      update accounts.people set display_name = 'evil.example' where id = ${viewer.id}`.execute(tx.sql())
    );
    await viewer.call(updateProfile, { display_name: 'evil.example', about: 'Hello' });
    const moderator = await site.viewer({ roles: ['site_mod'] });
    await moderator.call(updateProfile, { display_name: 'Candela Support' });
  });

  it('are no usernames of staff, and differ from every other by more than separators', async () => {
    for (const name of [
      'candela-help',
      'the-admin',
      'support_24',
      'candelateam',
      'siteadmin',
      'supportteam',
      's1teadm1n',
    ]) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
    expect(await signsUp('velvet-moon')).toBe('signed_up');
    for (const name of ['velvetmoon', 'velvet_moon', 'vel-vet-moon', 'velvet--moon', 'velvetmoon_']) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
    expect(await signsUp('supporter_fan')).toBe('signed_up');
    const viewer = await site.viewer();
    for (const username of ['velvetmoon', 'ad-min']) {
      expect((await viewer.refused(changeUsername, { username })).errorType).toBe('username_taken');
    }
    const { errorType } = await viewer.refused(updateProfile, { display_name: 'siteadmin' });
    expect(errorType).toBe('display_name_refused');
  });

  it('are nobody else’s for a year, nor what differs from them by separators and looks alone', async () => {
    const [renamed, erased, other] = [
      await site.viewer({ username: 'silver-fox1' }),
      await site.viewer({ username: 'gold_lark' }),
      await site.viewer(),
    ];
    await renamed.call(changeUsername, { username: 'fox-of-before' });
    await erased.call(requestDeletion, { username: 'gold_lark', password: 'correct horse battery' });
    await site.passes(31 * DAY_MS);
    await site.settle();
    const alike = [
      'silver-fox1',
      'silverfox1',
      'silver_fox1',
      'sil-ver-foxl',
      'silverfoxl',
      'gold_lark',
      'goldlark',
      'gold-lark',
      'g-o-l-d-l-a-r-k',
      'g0ld--lark',
    ];
    const back = await site.memberOf(other.username);
    for (const name of alike) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
      const change = { username: name, password: 'correct horse battery' };
      expect((await back.refused(changeUsername, change)).errorType).toBe('username_taken');
      await site.passes(DAY_MS / 24);
    }
    expect(await signsUp('gold-larks')).toBe('signed_up');
    await site.passes(366 * DAY_MS);
    expect([await signsUp('goldlark'), await signsUp('silverfox1')]).toEqual(['signed_up', 'signed_up']);
  });

  it('of performers look like no other, whatever separators stand in them', async () => {
    await site.performer({ username: 'velvet-lime' });
    for (const name of ['velvet1ime', 've1vet_lime', 'velvet--1ime']) {
      expect([name, await signsUp(name)]).toEqual([name, 'username_taken']);
    }
  });
});
