import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { decideClearance, declareAge } from '#product/compliance/contract.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PUBLIC_LISTINGS } from './rules/sharing.ts';

/** Every listing of one gender, and an eighth of the others. */
const CRAWLED = [
  ...PUBLIC_LISTINGS.filter((path, at) => !/^\/(?:couples|men|trans)\//u.test(path) || at % 8 === 0),
  '/girls/tag/dance',
  '/girls/tag/dance/music',
  '/browse-role/dj',
  '/browse-studio/north',
  '/contests',
  '/contests/girls/sodastars',
];
/** Boards of a contest: tabs of one page that share its title. */
const BOARDS = ['/contests/girls/sodastars/top2000', '/contests/girls/sodastars/30days'];
/** One of each sort, for every language, region and viewer. */
const SAMPLED = ['/', '/girls', '/girls/private-shows/rate/60', '/girls/tag/dance', '/voyeur-cams/kitchen'];
const CANARY = /canary/u;
const BRANDS = /JB Cams|Real ?Life ?Cam|Julmodels|Casa Salsa|Sodastars|Voyeur House/u;

let site: TestSite;
const printed: string[] = [];

/** A performer who is in as many listings as possible. */
const star = async (username: string): Promise<Member> => {
  const performer = await site.performer({ username });
  await performer.call(updateProfile, { languages: ['en', 'de'] });
  await performer.call(setDetails, { title: `Hello from ${username}`, tags: ['dance', 'music'] });
  await site.tx((tx) =>
    site.services.performers.saveListing(tx, performer.id, {
      region: 'europe',
      country: 'RO',
      is_independent: true,
      private_price: 60,
      exclusive_price: 90,
      control_rate: 30,
      offers_cam2cam: true,
      voyeur_room: 'kitchen',
    })
  );
  await performer.goesLive();
  return performer;
};

beforeAll(async () => {
  vi.spyOn(console, 'error').mockImplementation((...line: unknown[]) => void printed.push(line.join(' ')));
  site = await createSite();
  await servesDocuments(site);
  await star('stella');
  const [blocked, suspended] = [await star('canary-a'), await star('canary-b')];
  const revoked = await star('canary-c');
  const admin = await site.admin();
  const order = { suspended: true, actorId: admin.id, reason: 'a test' };
  await site.tx(async (tx) => {
    await site.services.compliance.blockRegions(tx, blocked.id, ['BR']);
    await site.services.accounts.suspend(tx, suspended.id, order);
  });
  await admin.call(decideClearance, { username: revoked.username, decision: 'revoke', reason: 'a test' });
  await site.settle();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await site.close();
});

interface Read {
  readonly status: number;
  readonly html: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

async function read(who: Visitor, url: string, language = 'en'): Promise<Read> {
  const answer = await who.request({ url, headers: { accept: 'text/html', 'accept-language': language } });
  return { status: answer.statusCode, html: answer.body, headers: answer.headers };
}

const all = (html: string, pattern: RegExp): string[] =>
  [...html.matchAll(pattern)].map(([, text]) => text ?? '');
const titlesOf = (html: string) => all(html, /<title>([^<]*)<\/title>/gu);
const metaOf = (html: string, name: string) =>
  all(html, new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`, 'gu'));
const linksOf = (html: string, rel: string) =>
  all(html, new RegExp(`<link rel="${rel}" href="([^"]*)"`, 'gu'));
const structuredIn = (html: string) =>
  all(html, /<script type="application\/ld\+json">(.*?)<\/script>/gu)
    .map((json) => JSON.parse(json) as Record<string, unknown>);

/** From a region that one of the canaries blocks; the other two are hidden everywhere. */
const brazilian = async (who: Visitor): Promise<Visitor> => {
  await who.call(declareAge, { of_age: true });
  return who;
};

/** What the listings of all, of girls and of German speakers say in each language, and how many are live. */
const DESCRIPTIONS: Readonly<Record<string, readonly [string, string, string, string]>> = {
  en: [
    'Performers who are live right now. Watching is free. Chat with a free account.',
    'Girls who are live right now. Watching is free. Chat with a free account.',
    'Girls who are live right now and speak German. Chat with a free account.',
    '1 performer live.',
  ],
  de: [
    'Performer, die gerade live sind. Zuschauen ist kostenlos. Zum Chatten genügt ein kostenloses Konto.',
    'Frauen, die gerade live sind. Zuschauen ist kostenlos. Zum Chatten genügt ein kostenloses Konto.',
    'Frauen, die gerade live sind und Deutsch sprechen. Zum Chatten genügt ein kostenloses Konto.',
    '1 Performer live.',
  ],
  es: [
    'Modelos en directo ahora mismo. Mirar es gratis. Para chatear basta una cuenta gratuita.',
    'Chicas en directo ahora mismo. Mirar es gratis. Para chatear basta una cuenta gratuita.',
    'Chicas en directo ahora mismo que hablan alemán. Para chatear basta una cuenta gratuita.',
    '1 modelo en directo.',
  ],
  fr: [
    'Les modèles en direct en ce moment. Regarder est gratuit. Pour discuter, un compte gratuit suffit.',
    'Filles en direct en ce moment. Regarder est gratuit. Pour discuter, un compte gratuit suffit.',
    'Filles en direct en ce moment, qui parlent allemand. Pour discuter, un compte gratuit suffit.',
    '1 modèle en direct.',
  ],
  it: [
    'Performer in diretta in questo momento. Guardare è gratis. Per chattare basta un account gratuito.',
    'Ragazze in diretta in questo momento. Guardare è gratis. Per chattare basta un account gratuito.',
    'Ragazze in diretta in questo momento che parlano tedesco. Per chattare basta un account gratuito.',
    '1 performer in diretta.',
  ],
  nl: [
    'Performers die nu live zijn. Kijken is gratis. Chatten kan met een gratis account.',
    'Vrouwen die nu live zijn. Kijken is gratis. Chatten kan met een gratis account.',
    'Vrouwen die nu live zijn en Duits spreken. Chatten kan met een gratis account.',
    '1 performer live.',
  ],
};

/** Some hundred documents, on a machine that does much else. */
const CRAWL_MS = 120_000;

describe('documents of listings', () => {
  it(
    'answer at every address with one heading and a title of their own, and name nobody who is hidden',
    async () => {
      const guest = await brazilian(await site.visitor({ region: 'BR' }));
      const titles = new Map<string, string>();
      let named = 0;
      for (const path of CRAWLED) {
        const { status, html } = await read(guest, path);
        expect([path, status]).toEqual([path, 200]);
        expect([path, html.match(/<h1\b/gu)?.length, titlesOf(html).length]).toEqual([path, 1, 1]);
        expect([path, CANARY.test(html)]).toEqual([path, false]);
        // Company names are data of the demo site; another site has neutral names.
        expect([path, BRANDS.exec(html)?.[0]]).toEqual([path, undefined]);
        expect([path, linksOf(html, 'canonical')]).toEqual([path, [`http://localhost${path}`]]);
        expect([path, metaOf(html, 'description').length]).toEqual([path, 1]);
        const [title = ''] = titlesOf(html);
        expect(`${title} at ${path}`).toBe(`${title} at ${titles.get(title) ?? path}`);
        titles.set(title, path);
        if (html.includes('stella')) named += 1;
      }
      for (const path of BOARDS) {
        const { status, html } = await read(guest, path);
        expect([path, status]).toEqual([path, 200]);
        expect(titlesOf(html)).toEqual([expect.stringContaining('Monthly stars')]);
        expect([path, BRANDS.exec(html)?.[0]]).toEqual([path, undefined]);
      }
      expect(titles.size).toBe(CRAWLED.length);
      expect(named).toBeGreaterThan(20);
    },
    CRAWL_MS,
  );

  it(
    'show the same to guests and members of a region, in both languages, and nobody before the gate',
    async () => {
      const members = [
        await site.viewer(),
        await brazilian(await site.viewer({ region: 'BR' })),
        await site.viewer({ region: 'US-FL' }),
      ];
      const guests = [
        await site.visitor({ ofAge: true }),
        await brazilian(await site.visitor({ region: 'BR' })),
        await site.visitor({ region: 'US-FL' }),
      ];
      for (const path of SAMPLED) {
        for (const language of ['en', 'de']) {
          for (const [at, who] of [...guests, ...members].entries()) {
            const { status, html } = await read(who, path, language);
            const where = `${path} ${language} ${at}`;
            const region = at % 3;
            expect([where, status, html.match(/<h1\b/gu)?.length]).toEqual([where, 200, 1]);
            expect(html).toContain(`<html lang="${language}"`);
            expect([where, html.includes('stella')]).toEqual([where, region < 2]);
            expect([where, html.includes('canary-a')]).toEqual([where, region === 0]);
            expect([where, /canary-[bc]/u.test(html)]).toEqual([where, false]);
          }
        }
      }
    },
    CRAWL_MS,
  );

  it('say in their head what they are, where they belong and whom they show', async () => {
    const guest = await brazilian(await site.visitor({ region: 'BR' }));
    const { html } = await read(guest, '/girls/language/german?lang=de', 'en');
    const title = 'Frauen, die Deutsch sprechen · Candela Free Live Cams';
    expect(titlesOf(html)).toEqual([title]);
    const description = 'Frauen, die gerade live sind und Deutsch sprechen. '
      + 'Zum Chatten genügt ein kostenloses Konto. 1 Performer live.';
    expect(metaOf(html, 'description')).toEqual([description]);
    const address = 'http://localhost/girls/language/german';
    expect(linksOf(html, 'canonical')).toEqual([`${address}?lang=de`]);
    const languages = [...html.matchAll(/<link rel="alternate" hrefLang="([^"]*)" href="([^"]*)"/gu)]
      .map(([, language, href]) => [language, href]);
    expect(languages).toEqual([
      ...['en', 'de', 'es', 'fr', 'it', 'nl'].map((language) => [language, `${address}?lang=${language}`]),
      ['x-default', address],
    ]);
    expect([metaOf(html, 'og:title'), metaOf(html, 'twitter:title')]).toEqual([[title], [title]]);
    expect([metaOf(html, 'og:description'), metaOf(html, 'og:url'), metaOf(html, 'og:locale')])
      .toEqual([[description], [`${address}?lang=de`], ['de_DE']]);
    const image = ['http://localhost/share/site.png'];
    expect([metaOf(html, 'og:image'), metaOf(html, 'twitter:image'), metaOf(html, 'twitter:card')])
      .toEqual([image, image, ['summary_large_image']]);
    expect(metaOf(html, 'robots')).toEqual([]);
    const [crumbs, list] = structuredIn(html);
    expect(crumbs).toMatchObject({ '@context': 'https://schema.org/', '@type': 'BreadcrumbList' });
    expect((crumbs?.['itemListElement'] as { item: string }[] | undefined)?.map(({ item }) => item))
      .toEqual(['http://localhost/', 'http://localhost/girls', address]);
    expect(list).toMatchObject({
      '@type': 'ItemList',
      numberOfItems: 1,
      itemListElement: [{ '@type': 'ListItem', position: 1, name: 'stella', url: 'http://localhost/stella' }],
    });
  });

  it.each(Object.entries(DESCRIPTIONS))(
    'promise in %s what is free: to watch, and an account to chat with',
    async (language, [home, girls, german, count]) => {
      const guest = await brazilian(await site.visitor({ region: 'BR' }));
      const described: string[] = [];
      for (const path of ['/', '/girls', '/girls/language/german']) {
        const { html } = await read(guest, `${path}?lang=${language}`);
        expect([path, metaOf(html, 'og:description')]).toEqual([path, metaOf(html, 'description')]);
        described.push(...metaOf(html, 'description'));
      }
      expect(described).toEqual([home, girls, german].map((text) => `${text} ${count}`));
    },
  );

  it('leave out of search engines what is empty, filtered or one person’s own', async () => {
    const guest = await site.visitor({ ofAge: true });
    const robotsOf = async (path: string) => metaOf((await read(guest, path)).html, 'robots');
    expect(await robotsOf('/girls')).toEqual([]);
    expect(await robotsOf('/')).toEqual([]);
    for (const path of ['/men', '/girls/tag/nobody-has-it', '/girls?sort=random', '/followed', '/for-you']) {
      expect([path, await robotsOf(path)]).toEqual([path, ['noindex, follow']]);
    }
  });

  it('are at one address: page 2 at its own, others lead there, unknown ones are not found', async () => {
    const guest = await site.visitor({ ofAge: true });
    const second = await read(guest, '/girls?p=2');
    expect(linksOf(second.html, 'canonical')).toEqual(['http://localhost/girls?p=2']);
    expect(titlesOf(second.html)).toEqual(['Girls live now, page 2 · Candela Free Live Cams']);
    const voyeur = await read(guest, '/voyeur-house');
    expect(linksOf(voyeur.html, 'canonical')).toEqual(['http://localhost/voyeur-cams']);
    for (const [path, to] of [
      ['/girls/', '/girls'],
      ['/Girls', '/girls'],
      ['/girls/NEW?p=2', '/girls/new?p=2'],
      ['/girls/new/?p=2', '/girls/new?p=2'],
      ['//evil.example/', '/evil.example'],
    ]) {
      const { status, headers } = await read(guest, path ?? '');
      expect([path, status, headers['location']]).toEqual([path, 301, to]);
    }
    for (const path of ['/girls/nothing', '/girls/language/klingon', '/girls/private-shows/rate/7']) {
      const { status, html } = await read(guest, path);
      expect([path, status, metaOf(html, 'robots')]).toEqual([path, 404, ['noindex, follow']]);
    }
  });
});

describe('a page in the browser', () => {
  it('has the title of its listing, also after one went on', async () => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls/new');
    const heading = await page.find('heading', 'Girls who are new here');
    await page.until(() =>
      expect(heading.ownerDocument.title).toBe('Girls who are new here · Candela Free Live Cams')
    );
    await page.click(await page.find('link', 'Girls from Europe'));
    const next = await page.find('heading', 'Girls from Europe', { level: 1 });
    await page.until(() =>
      expect(next.ownerDocument.title).toBe('Girls from Europe · Candela Free Live Cams')
    );
  });
});

describe('related listings at the foot of one', () => {
  const hrefsOf = (html: string) => {
    const [nav = ''] = all(html, /<nav aria-label="Related listings"[^>]*>(.*?)<\/nav>/gsu);
    return all(nav, /href="([^"]*)"/gu);
  };

  it('are those that somebody is in, in the document and on the page', async () => {
    const guest = await site.visitor({ ofAge: true });
    const inDocument = async (path: string) => hrefsOf((await read(guest, path)).html);
    const [german, fresh] = [await inDocument('/girls/language/german'), await inDocument('/girls/new')];
    const page = await openPage(site, guest, '/girls/language/german');
    const onPage = async () =>
      page.all('link', undefined, { in: await page.find('navigation', 'Related listings') })
        .map((link) => link.getAttribute('href') ?? '');
    for (const links of [german, await onPage()]) expect(links).toEqual(['/girls/language/english']);
    await page.goto('/girls/new');
    for (const links of [fresh, await onPage()]) {
      expect(links).toContain('/girls/region/europe');
      for (const empty of ['/girls/region/usa', '/girls/top-rated']) expect(links).not.toContain(empty);
    }
  });
});

describe('the document of a room', () => {
  it('has a head of what the room says, and the bio as text [B-159]', async () => {
    const performer = await site.performer({ username: 'lena' });
    await performer.call(updateProfile, {
      display_name: 'Lena & Co',
      about: 'I sing <b>jazz</b>.\n\nAsk "me" & listen.',
    });
    const viewer = await site.viewer();
    const answer = await viewer.request({ url: '/api/v1/chat/react/lena' });
    expect(answer.json<{ seo: object }>().seo).toEqual({
      title: 'Lena & Co live',
      h1: 'Lena & Co',
      description: 'Watch Lena & Co live, chat and send tips.',
      fullBioHtml: '<p>I sing &lt;b&gt;jazz&lt;/b&gt;.</p><p>Ask &quot;me&quot; &amp; listen.</p>',
    });
    const { html } = await read(viewer, '/lena');
    expect(titlesOf(html)).toEqual(['Lena &amp; Co live · Candela Free Live Cams']);
    expect(html).toMatch(/<h1[^>]*>Lena &amp; Co<\/h1>/u);
    const said = 'Watch Lena &amp; Co live, chat and send tips. I sing &lt;b&gt;jazz&lt;/b&gt;. '
      + 'Ask &quot;me&quot; &amp; listen.';
    expect(metaOf(html, 'description')).toEqual([said]);
    expect([metaOf(html, 'og:title'), metaOf(html, 'og:description'), metaOf(html, 'og:image')])
      .toEqual([['Lena &amp; Co live'], [said], ['http://localhost/share/lena.png']]);
    expect(structuredIn(html)[0]).toMatchObject({
      '@type': 'ProfilePage',
      url: 'http://localhost/lena',
      mainEntity: { name: 'Lena & Co', description: 'I sing <b>jazz</b>. Ask "me" & listen.' },
    });
  });

  it('says nothing of somebody who is hidden, and has a drawn card before the gate', async () => {
    const abroad = await brazilian(await site.visitor({ region: 'BR' }));
    const hidden = await read(abroad, '/canary-a');
    expect(hidden.status).toBe(404);
    expect(metaOf(hidden.html, 'og:title')).toEqual(['Candela']);
    expect(hidden.html).not.toContain('Hello from');
    expect((await read(abroad, '/nobody-at-all')).status).toBe(404);
    // Crawlers never pass a gate. The document they get has what a card needs, at the address of the page
    // itself, whether the region asks for a declared age or for proof.
    for (const region of ['DE', 'US-FL']) {
      const closed = await read(await site.visitor({ region }), '/stella');
      const said = [
        closed.status,
        ...['og:title', 'og:url', 'og:image', 'og:type', 'twitter:card']
          .map((name) => metaOf(closed.html, name)[0]),
      ];
      expect([region, ...said]).toEqual([
        region,
        200,
        'stella live',
        'http://localhost/stella',
        'http://localhost/share/stella.png',
        'profile',
        'summary_large_image',
      ]);
      expect(/<link rel="alternate" type="application\/json\+oembed" href="([^"]*)"/u.exec(closed.html)?.[1])
        .toBe('http://localhost/oembed?url=http%3A%2F%2Flocalhost%2Fstella');
      expect(closed.html).not.toMatch(/Hello from|<video|thumbs|portraits/u);
      for (const [path, title, description] of [
        ['bio', 'About stella', 'Who stella is, and when to meet them live on Candela.'],
        ['fanclub', 'stella’s fan club', 'Join with tokens, month by month. Cancel any time.'],
      ]) {
        const { html } = await read(await site.visitor({ region }), `/stella/${path}`);
        expect([
          ...linksOf(html, 'canonical'),
          ...['og:title', 'og:description', 'og:image', 'og:type']
            .map((name) => metaOf(html, name)[0]),
        ]).toEqual([
          `http://localhost/stella/${path}`,
          `${title} · Candela Free Live Cams`,
          description,
          'http://localhost/share/stella.png',
          'profile',
        ]);
      }
      // For performers hidden anywhere, and for nobody, the head is the same: it names no performer.
      for (const path of ['/canary-a', '/nobody-at-all', '/canary-a/bio', '/canary-a/fanclub']) {
        expect([path, metaOf((await read(await site.visitor({ region }), path)).html, 'og:title')])
          .toEqual([path, ['Candela']]);
      }
    }
  });
});

describe('the embedded player', () => {
  it('may stand in a frame of any site, with no picture and no word of anybody before the gate', async () => {
    for (const who of [await site.visitor(), await site.visitor({ region: 'US-FL' })]) {
      const { status, html, headers } = await read(who, '/embed/stella');
      expect(status).toBe(200);
      expect(headers['content-security-policy']).toMatch(/frame-ancestors \*/u);
      expect(headers['x-frame-options']).toBeUndefined();
      expect(html).not.toMatch(/<img|<video|Hello from|thumbs|portraits/u);
      expect(html).toMatch(/<a href="\/stella" target="_blank" rel="noopener"/u);
      expect(metaOf(html, 'robots')).toEqual(['noindex, follow']);
    }
    const other = await read(await site.visitor(), '/stella');
    expect(other.headers['content-security-policy']).toMatch(/frame-ancestors 'none'/u);
    expect(other.headers['x-frame-options']).toBe('DENY');
  });

  it('is the room for who passed the gate', async () => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/embed/stella');
    const link = await page.find('link', 'Watch on Candela');
    expect(link.getAttribute('href')).toBe('/stella');
    expect(link.ownerDocument.body.textContent).not.toContain('is for adults');
    page.leave();
    const closed = await openPage(site, await site.visitor(), '/embed/stella');
    const way = await closed.find('link', 'Watch on Candela');
    expect(way.ownerDocument.body.textContent).toContain('Candela is for adults. Open the room to enter.');
  });

  it('is not found for who may not see the room, and then stands in no frame', async () => {
    const abroad = await brazilian(await site.visitor({ region: 'BR' }));
    const hidden = await read(abroad, '/embed/canary-a');
    expect([hidden.status, hidden.headers['x-frame-options']]).toEqual([404, 'DENY']);
    const page = await openPage(site, abroad, '/embed/canary-a');
    await page.find('heading', /./u, { level: 1 });
    await page.sees('404');
    expect(['banner', 'contentinfo', 'navigation'].flatMap((role) => page.all(role))).toEqual([]);
  });
});

it('rendering warns of nothing but the style sheet that tests do not build', () => {
  expect(printed.filter((line) => !line.includes('An empty string ("")'))).toEqual([]);
  expect(site.log).toEqual([]);
});
