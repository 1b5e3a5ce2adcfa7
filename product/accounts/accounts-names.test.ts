import { systemClock } from '#platform/data/clock.ts';
import { openIdentitySimulator, type IdentitySimulator } from '#platform/identities/simulator.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { LOCALES } from '#product/site/rules.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser, register, updateProfile } from './contract.ts';
import { requestDeletion } from './contract/life/deletion.ts';
import { changeUsername } from './contract/life/username.ts';
import { finishProvider, signUpByProvider, startProvider } from './contract/providers.ts';
import { setRole } from './contract/staff-roles.ts';
import { posesAsStaff } from './rules/life/posing.ts';

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

describe('a name that poses as staff', () => {
  it.each([
    'Support',
    'SUPPORT',
    'Candela',
    'Candela Support',
    'candela-team',
    'Ana (Admin)',
    'S u p p o r t',
    's.u.p.p.o.r.t',
    'Аdmin',
    'adm1n',
    '$upport',
    'ＡＤＭＩＮ',
    'Modérateur',
    'MyAdmin',
    'Cаndеlа Team',
    'Support24',
    'Süpport',
  ])('%s is refused', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Ana Lune',
    'Supporter',
    'Candy',
    'Administrata',
    'Stafford',
    'Ms. Moss',
    'A B C',
    'مرحبا',
    'Systemic',
  ])('%s is fine', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });

  // Run together: every part is a staff word, a word that stands beside one, or the site's name.
  it.each([
    'siteadmin',
    'supportteam',
    'candelasupport',
    'adm1n',
    '5upp0rt',
    'adm1n24',
    '24siteadmin',
    'TheAdmins',
    'officialsupport',
    'realadmin',
    'modelsupport',
    'livesupportchat',
    'iamadmin',
    'heIpdesk',
    'he1pdesk',
    'adrnin',
    'customerservice',
    'site.admin',
    's1te_adm1n',
    'sіteаdmin',
    'SUPPORTDESK',
    'teamstaff',
    'webmoderators',
    'admin|team',
    '8illing5upport',
    's1teadm1n44',
  ])('%s is refused, run together', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'supporter_fan',
    'supporterfan',
    'madmint',
    'badminton_girl',
    'BadmintonAna',
    'staffy',
    'Staffordshire',
    'ecosystem',
    'solarsystems',
    'cooperator',
    'Administra',
    'supportive_sam',
    'teamsite',
    'mymodelroom',
    'realteam',
    'mysupporter',
    'thestaffords',
    'chatroom24',
    'Masterteam',
    'lmaster',
    'sportadministratrix',
    'Ana4you',
    'mostaffable',
  ])('%s is fine, run together', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });
  // Look-alikes of the site's name, and staff words beside another name.
  it.each([
    'CandeIa',
    'CandeIa Team',
    'cande1a',
    'cande1a-team',
    'candeia-help',
    'candeia',
    'cande1akelly',
    'Kelly (CandeIa)',
    'mycandeia',
    'Kelly Can Deia',
    'cande|a',
    'kelly-candeia',
  ])('%s is refused, as the site to the eye', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it('a name of the site with m or w is no other’s with rn or vv, nor one with I another’s with l', () => {
    const others = [
      ['xcarnerax', 'Camera'],
      ['xcamerax', 'Carnera'],
      ['xvvebcamx', 'Webcam'],
      ['xlrinax', 'Irina'],
    ];
    for (const [name = '', own = ''] of others) {
      expect([name, posesAsStaff(name, [own])]).toEqual([name, true]);
    }
    expect(posesAsStaff('Marnie Waters', ['Camera'])).toBe(false);
  });
  it.each([
    'Kelly (rnoderator)',
    'Ana Adrnin',
    'Anna heIpdesk',
    'Kelly he1pdesk',
    'Anna vvebmaster',
    'anna_adrnin',
    'AnnaHeIpdesk',
    'Kelly (siteadmin)',
    'kelly supportteam',
    'h e I p d e s k',
    'z h e l p d e s k',
    'the-su-pp-or-t',
  ])('%s is refused, beside a name and to the eye', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Anna Admins',
    'kelly-moderators',
    'Kelly Administratoren',
    'Ana Moderadores',
    'Anna Moderatori',
    'Ana Operators',
    'Anna Helpdesks',
    'Chiara Amministratori',
  ])('%s is refused, of several', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Anna, Customer Service',
    'Anna (Help Desk)',
    'Kelly Customer Care',
    'Ana Atención al Cliente',
    'Chiara Servizio Clienti',
    'Zoé – Service Client',
    'Kelly Ad-Min',
    'KellyHelpDesk',
    'Help Desk Anna',
    'anna_custorner_care',
    'anna-cust0mer24-serv1ce',
    'Anna Sys Admin',
    'Anna Kunden-Service',
    'Ana Servicio al Cliente',
  ])('%s is refused, in two or three words', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'anna_adm1n44',
    'AnnaAdm1n',
    'kelly|adm1n',
    'anna 24support',
    'kelly ad7min',
    'kelly a7d7m7i7n',
    'moderatornet',
    'xcan7delax',
  ])('%s is refused, whatever digits and signs stand there', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Anna Service',
    'Candy Ela',
    'Adina',
    'Modesta',
    'Stafford',
    'Maria Candeias',
    'Candida Lane',
    'Candice',
    'Anna Customer',
    'Helpful Desk',
    'Carnera',
    'Marnie',
    'Ana Adminton',
    'Anna Help',
    'Anna Team',
    'Anna Tafford',
    'Ahmad Min',
    'Imad Minho',
    'Adam In Love',
    'Milady Mina',
    'Dolores Port',
    'Real Kelly',
    'Anna_Care',
    'Service Station',
    'Mo Derry',
    'Oper Atoria',
    'Systema',
    'Ada-Mina',
    'Anna Supporters',
    'Olivia Lilly',
    'Emilio',
    'Vivvi',
    'Bernie Wills',
    'Анна Сервис',
    'Άννα Αντίνα',
    'آنا أدينا',
    '安娜 服务',
    'Đorđe Stafović',
    'Łucja Modest',
    'Kelly 24',
    'Ana-Lena 1991',
    'Lili I',
    'A. D. Minogue',
  ])('%s is fine, beside words of staff', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });
  it.each([
    'Soporte',
    'Supporto',
    'Beheerder',
    'Klantenservice',
    'Kundendienst',
    'Assistenza',
    'Assistance',
    'Ondersteuning',
    'Asistencia',
    'Moderadora',
    'Modératrice',
    'Moderatrice',
    'Moderatorin',
    'Administradora',
    'Administratrice',
    'Amministratrice',
    'Anna (Moderatorin)',
    'Moderatorinnen',
    'Amministratrici',
    'kelly-moderadora',
    'Administration',
    'Anna (Administration)',
    'Site Administration',
    'Administración',
    'Amministrazione',
    'Verwaltung',
    'Kundensupport',
    'Kunden Support',
    'Kundenbetreuung',
    'Klantendienst',
    'Moderationsteam',
    'Service clientèle',
  ])('%s is refused, in other languages and of every gender', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Team',
    'Equipo',
    'Équipe',
    'Staff',
    'Team Anna',
    'TeamAnna',
    'team_24',
    'Equipo Ana',
    'Équipe Zoé',
    'T e a m',
    'Tearn',
    'Mod',
    'Mods',
    'mod1',
    'm0d',
    'Mod Kelly',
    'Chat Mod',
    'Kelly (Chat Mod)',
    'chatmods',
    'Moderation',
    'Moderation Team',
    'Billing Team',
    'Security Team',
    'Trust & Safety',
    'Trust and Safety',
    'securityteam',
  ])('%s is refused, as the badge or a team', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each(LOCALES)('the word of the badge is refused before a name, in %s', (locale) => {
    const file = new URL(`../../platform/ui/messages/${locale}.json`, import.meta.url);
    const { staff } = JSON.parse(readFileSync(file, 'utf8')) as { staff: string };
    for (const name of [staff, `${staff} Anna`]) {
      expect([name, posesAsStaff(name, ['Candela'])]).toEqual([name, true]);
    }
  });
  it.each([
    'Modesty',
    'Teamwork Tom',
    'Modena',
    'Mo D',
    'Modern Mia',
    'Mod3na',
    'Kelly Mod',
    'Equipoise',
    'Teamo',
    'Trust Anna',
    'Billing',
    'Dream Team',
    'In Moderation',
    'Assistant Ana',
    'Tea Moss',
    'Modeste',
  ])('%s is fine, with a badge or a team in it', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });
  // Letters of other scripts, and text pasted from a "fancy text" page.
  it.each([
    'ᴀᴅᴍɪɴ',
    'ꜱᴜᴘᴘᴏʀᴛ',
    'ᴄᴀɴᴅᴇʟᴀ ꜱᴜᴘᴘᴏʀᴛ',
    'ᴄᴀɴᴅᴇʟᴀ',
    '🅰🅳🅼🅸🅽',
    '🅐🅓🅜🅘🅝',
    '🅰️dmin',
    '🇦🇩🇲🇮🇳',
    '🇦 🇩 🇲 🇮 🇳',
    '🄰🄳🄼🄸🄽',
    'ⓐⓓⓜⓘⓝ',
    '𝓼𝓾𝓹𝓹𝓸𝓻𝓽',
    'ᵃᵈᵐⁱⁿ',
    'аdmiп',
    'Cапdela',
    'ADMIИ',
    'suррогt',
    'sսppօrt',
    'Տսppօrt',
    'ꓮꓓꓟꓲꓠ',
    'ꓢꓴꓑꓑꓳꓣꓔ',
    'ꓚꓮꓠꓓꓰꓡꓮ',
    'ᎪᎠᎷᏆΝ',
    'ꮪuꮲꮲoꮁꭲ',
    'ᏚႮᏢᏢϴᎡͲ',
    'ΑDΜΙΝ',
    'sυρροrτ',
    'ѕυppоrт',
    'ΗΕLΡDΕЅΚ',
    'ᗩᗪᗰIᑎ',
    'ᔕᑌᑭᑭOᖇT',
    '卂ᗪ爪丨几',
    'ąđɱɨŋ',
    'Support 🇩🇪',
    'siteadmin🇩🇪',
    'S u p p o r t 🇮🇹',
    '🅼🅾🅳🅴🆁🅰🆃🅾🆁 24',
  ])('%s is refused, in letters that look the same', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(true);
  });
  it.each([
    'Александр Попов',
    'Ирина',
    'Наталья_24',
    'Полина ⭐',
    'Ελένη Παπαδοπούλου',
    'ΝΙΚΟΣ',
    'Անահիտ Սարգսյան',
    'ᏔᎵᎧ ᏣᎳᎩ',
    'ꓡꓲ-ꓢꓴ',
    '山田 花子',
    '小几',
    '王乙',
    'ᐃᓄᒃ',
    'ᴀɴɴᴀ ʟᴜɴᴇ',
    '🅰🅽🅽🅰',
    '🅐na',
    'Ana 🇦🇩',
    'Mia 🇩🇪🇮🇹',
    'Łucja Øst',
    'Đorđe',
    'ꜱᴜᴘᴘᴏʀᴛᴇʀ',
    'ᴄᴀɴᴅʏ',
  ])('%s is fine, in the letters of its script', (name) => {
    expect(posesAsStaff(name, ['Candela'])).toBe(false);
  });
  it('a short name of the site poses as it beside a word of staff alone', () => {
    const poses = (name: string) => posesAsStaff(name, ['Cum']);
    expect(['cumsupport', 'Cum-Admin', 'adm1ncum', 'cucumber', 'Cumming', 'cum'].map(poses))
      .toEqual([true, true, true, false, false, false]);
  });
});

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
