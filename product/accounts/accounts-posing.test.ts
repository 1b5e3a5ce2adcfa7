import { LOCALES } from '#product/site/rules.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { posesAsStaff } from './rules/life/posing.ts';

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
