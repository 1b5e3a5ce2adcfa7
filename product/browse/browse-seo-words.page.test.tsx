import { updateProfile } from '#product/accounts/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { createElement } from 'react';
import { renderToReadableStream } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';

const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
/** Documents are cached for ten seconds at most. */
const CACHED_MS = 10_000;

/** Title and description of both wordings and of rooms that don't take part, in each language. */
const WORDS: Readonly<Record<string, Readonly<Record<'a' | 'b' | 'usual', readonly [string, string]>>>> = {
  en: {
    a: ['Live cam of NAME: watch and chat', 'Watch NAME on live cam, chat along and send tips.'],
    b: [
      'Meet NAME live',
      'Say hello to NAME in the live chat, and follow to be there when the next show starts.',
    ],
    usual: ['NAME live', 'Watch NAME live, chat and send tips.'],
  },
  de: {
    a: [
      'Live-Cam von NAME: zusehen und chatten',
      'Sieh NAME vor der Live-Cam zu, chatte mit und gib Trinkgeld.',
    ],
    b: [
      'NAME live treffen',
      'Begrüße NAME im Live-Chat und folge, um beim Beginn der nächsten Show dabei zu sein.',
    ],
    usual: ['NAME live', 'Sieh NAME live zu, chatte und gib Trinkgeld.'],
  },
  es: {
    a: [
      'Cámara en directo de NAME: mira y chatea',
      'Mira a NAME en su cámara en directo, participa en el chat y da propinas.',
    ],
    b: [
      'Conoce a NAME en directo',
      'Saluda a NAME en el chat en directo y sigue su sala para no perderte el próximo show.',
    ],
    usual: ['NAME en directo', 'Mira a NAME en directo, chatea y da propinas.'],
  },
  fr: {
    a: [
      'Cam en direct de NAME\u00A0: regardez et discutez',
      'Regardez NAME en direct à la cam, participez au chat et donnez des pourboires.',
    ],
    b: [
      'Rencontrez NAME en direct',
      'Saluez NAME dans le chat en direct et suivez son salon pour ne pas manquer le prochain show.',
    ],
    usual: ['NAME en direct', 'Regardez NAME en direct, discutez et donnez des pourboires.'],
  },
  it: {
    a: [
      'Cam in diretta di NAME: guarda e chatta',
      'Guarda NAME in cam dal vivo, partecipa alla chat e dai mance.',
    ],
    b: [
      'Incontra NAME in diretta',
      'Saluta NAME nella chat dal vivo e segui la stanza per non perdere il prossimo show.',
    ],
    usual: ['NAME in diretta', 'Guarda NAME in diretta, chatta e dai mance.'],
  },
  nl: {
    a: ['Livecam van NAME: kijken en chatten', 'Kijk naar NAME op de livecam, chat mee en geef fooien.'],
    b: [
      'Ontmoet NAME live',
      'Zeg hallo tegen NAME in de livechat, en volg om erbij te zijn als de volgende show begint.',
    ],
    usual: ['NAME live', 'Kijk live naar NAME, chat en geef fooien.'],
  },
};

let site: TestSite;
let admin: Member;
/** Both wordings occur among the first eight; the ninth is in no list. */
const people: Member[] = [];
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  admin = await site.admin();
  for (let at = 0; at < 9; at += 1) {
    people.push(await site.performer({ username: `trial_${at}`, live: true }));
  }
  await people[8]?.call(updateProfile, { display_name: 'Other' });
  await site.settle();
});
afterAll(() => site.close());

/**
 * Opens a page after documents were rendered in this process. React's server renderer leaves the contexts of
 * a room's lazy parts behind, and the client would mistake them for a router around the page. Rendering once
 * more removes them.
 */
async function opens(who: Visitor, ...[path, options]: [string, { mayPrint: RegExp }?]) {
  await (await renderToReadableStream(createElement('i'))).cancel();
  return openPage(site, who, path, options);
}

/** Opens the experiment as an admin does: the back office, then its navigation. */
async function opensExperiment() {
  const page = await opens(admin, '/admin');
  await page.press('Sites', { role: 'link', in: await page.find('navigation', 'Back office') });
  return { page, part: await page.find('region', 'SEO experiment') };
}

const contentOf = (html: string, name: string): string[] =>
  [...html.matchAll(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`, 'gu'))]
    .map(([, text]) => text ?? '');

/** What the head of the document of a room says. */
async function headOf(who: Visitor, username: string, language: string, agent = FIREFOX) {
  const { statusCode, body } = await who.request({
    url: `/${username}?lang=${language}`,
    headers: { 'accept': 'text/html', 'user-agent': agent },
  });
  return {
    statusCode,
    title: /<title>([^<]*)<\/title>/u.exec(body)?.[1],
    description: contentOf(body, 'description'),
    cards: ['og:title', 'twitter:title'].map((name) => contentOf(body, name)[0]),
    cardTexts: ['og:description', 'twitter:description'].map((name) => contentOf(body, name)[0]),
    url: contentOf(body, 'og:url')[0],
    locale: contentOf(body, 'og:locale')[0],
    robots: contentOf(body, 'robots'),
    image: contentOf(body, 'og:image')[0],
    canonical: /<link rel="canonical" href="([^"]*)"/u.exec(body)?.[1],
    languages: [...body.matchAll(/hrefLang="([^"]*)"/giu)].map(([, one]) => one),
  };
}

/** The wording in the head of a room, which must be the same everywhere in it. */
async function wordsOf(who: Visitor, { username }: Member, language = 'en', agent = FIREFOX) {
  const name = username === 'trial_8' ? 'Other' : username;
  const head = await headOf(who, username, language, agent);
  const kinds = (['a', 'b', 'usual'] as const).filter((kind) => {
    const [title, description] = (WORDS[language]?.[kind] ?? []).map((text) => text.replace('NAME', name));
    return JSON.stringify([head.cards, head.description, head.cardTexts])
        === JSON.stringify([[title, title], [description], [description, description]])
      && head.title === `${title} · Candela Free Live Cams`;
  });
  if (kinds.length === 1) {
    const address = `http://localhost/${username}?lang=${language}`;
    expect(head).toMatchObject({
      statusCode: 200,
      canonical: address,
      url: address,
      robots: [],
      image: `http://localhost/share/${username}.png`,
      languages: ['en', 'de', 'es', 'fr', 'it', 'nl', 'x-default'],
    });
    expect(head.locale?.slice(0, 2)).toBe(language);
  }
  return kinds.join();
}

/** Saves the list as an admin does, after a list with an unknown name and one that is too long. */
async function savesList(listed: readonly Member[]): Promise<void> {
  const { page, part } = await opensExperiment();
  expect(await page.problems()).toEqual([]);
  const field = await page.field('Performers who take part', { in: part });
  const typed = [...listed.map(({ username }) => username), 'nobody_at_all'].join('\n');
  await page.fill('Performers who take part', typed, { in: part });
  await page.fill('Reason', 'a trial of words', { in: part });
  await page.press('Save list', { in: part });
  await page.sees('Nothing was saved: no performer has these names: nobody_at_all. Check the spelling.');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(field).toHaveProperty('value', typed);
  const many = Array.from({ length: 103 }, (_, at) => `name${at}`).join('\n');
  await page.fill('Performers who take part', many, { in: part });
  await page.press('Save list', { in: part });
  await page.sees('These are 103 names; at most 100 can take part. Remove 3.');
  expect(field).toHaveProperty('value', many);
  const names = listed.map(({ username }) => username).join('\n');
  await page.fill('Performers who take part', names, { in: part });
  await page.press('Save list', { in: part });
  await page.sees('Saved');
  page.leave();
  await site.passes(CACHED_MS);
}

/** What guests read about the experiment: the number of rooms, without names. */
async function isDisclosed(guest: Visitor): Promise<void> {
  const disclosed = await opens(guest, '/experiments');
  await disclosed.find('heading', 'Titles and descriptions of rooms for search engines');
  const said = await disclosed.sees(/^1 room takes part\./u);
  expect(said.ownerDocument.body.textContent).not.toContain('trial_');
  expect(await disclosed.problems()).toEqual([]);
  disclosed.leave();
}

/** Performers, visits of people and visits of crawlers of each wording, as admins see them. */
async function counted(): Promise<[number[], number[]]> {
  const opened = await opensExperiment();
  const table = await opened.page.find('table', 'Visits by wording');
  const rows = [...table.querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent)
  );
  opened.page.leave();
  return rows.map(([, ...numbers]) => numbers.map(Number)) as [number[], number[]];
}

test('an operator’s list of usernames drives an SEO experiment of two wordings [A-120, B-441]', {
  // This reads about sixty documents.
  timeout: 180_000,
}, async () => {
  const listed = people.slice(0, 8);
  const [other] = people.slice(8) as [Member];
  const guest = await site.visitor({ ofAge: true });
  expect(await wordsOf(guest, listed[0] as Member)).toBe('usual');

  // Unknown names and too many names show an error beside the field, and the typed text stays.
  await savesList(listed);

  // Both wordings among the listed rooms, none elsewhere; the same for everybody, in every language.
  const wordings: string[] = [];
  for (const one of listed) wordings.push(await wordsOf(guest, one));
  expect([...new Set(wordings)].toSorted()).toEqual(['a', 'b']);
  expect(await wordsOf(guest, other)).toBe('usual');
  const member = await site.viewer();
  const [a, b] = [listed[wordings.indexOf('a')] as Member, listed[wordings.indexOf('b')] as Member];
  for (const language of ['en', 'de', 'es', 'fr', 'it', 'nl']) {
    expect([
      await wordsOf(member, a, language),
      await wordsOf(guest, b, language),
      await wordsOf(guest, other, language),
    ]).toEqual(['a', 'b', 'usual']);
  }
  // A crawler has no cookie but gets the wording anyway, as does a visitor from a region with strict rules.
  const crawler = await site.visitor({ opened: false });
  const strict = await site.visitor({ opened: false, region: 'US-FL' });
  for (const who of [crawler, strict]) {
    expect([
      await wordsOf(who, a, 'de', GOOGLEBOT),
      await wordsOf(who, b, 'en', GOOGLEBOT),
      await wordsOf(who, other, 'en', GOOGLEBOT),
    ]).toEqual(['a', 'b', '']);
  }

  // Visits of guests are counted by wording, also those served from the cache; visits of members are not.
  const before = await counted();
  const listedPer = ['a', 'b'].map((wording) => wordings.filter((text) => text === wording).length);
  expect(before.map(([performers]) => performers)).toEqual(listedPer);
  const again = await site.visitor({ ofAge: true });
  for (const who of [guest, again, member, guest]) {
    const headers = { 'user-agent': FIREFOX, 'accept-encoding': 'gzip' };
    await who.request({ url: `/${a.username}`, headers });
  }
  for (let times = 0; times < 2; times += 1) await wordsOf(crawler, b, 'en', GOOGLEBOT);
  await wordsOf(guest, other);
  const [[, peopleA = 0, crawlersA = 0], [, peopleB = 0, crawlersB = 0]] = before;
  expect(await counted()).toEqual([
    [listedPer[0], peopleA + 3, crawlersA],
    [listedPer[1], peopleB, crawlersB + 2],
  ]);

  // A performer removed from the list has the usual words again.
  const end = await opensExperiment();
  await end.page.fill('Performers who take part', b.username, { in: end.part });
  await end.page.fill('Reason', 'it is over', { in: end.part });
  await end.page.press('Save list', { in: end.part });
  await end.page.sees('Saved');
  end.page.leave();
  await site.passes(CACHED_MS);
  expect([await wordsOf(guest, a), await wordsOf(guest, b)]).toEqual(['usual', 'b']);

  await isDisclosed(guest);
});

test('the page of the experiment is for admins alone', async () => {
  const page = await opens(await site.viewer(), '/admin/site', { mayPrint: /403/u });
  await page.find('heading', 'You don’t have access');
  expect(page.all('region', 'SEO experiment')).toEqual([]);
});
