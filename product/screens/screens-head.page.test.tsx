import { LOCALES } from '#product/site/rules.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import routes from './web/routes.ts';

/** One of the two hosts of a white label; it belongs to the other site. */
const HOST = 'www.lagoon.example';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  await site.services.site.addSite(site.scope.operatorId, {
    displayName: 'Lagoon',
    sitecode: 'lagoon',
    hosts: [HOST, 'lagoon.example'],
    isWhitelabel: true,
    mainDomainUrl: 'https://lagoon.example',
  });
  await servesDocuments(site);
  await site.performer({ username: 'marina', live: true });
});
afterAll(() => site.close());

/** Pages with a head of their own, and pages without one. */
const PATHS = [
  '/',
  '/girls',
  '/marina',
  '/marina/bio',
  '/marina/fanclub',
  '/tags',
  '/games',
  '/login',
  '/support-of-nobody/x',
];

const decoded = (text: string | undefined): string | undefined => text?.replaceAll('&amp;', '&');
const contentOf = (html: string, name: string): string | undefined =>
  // Open Graph has its own attribute.
  decoded(
    new RegExp(`<meta ${name.startsWith('og:') ? 'property' : 'name'}="${name}" content="([^"]*)"`, 'u')
      .exec(html)?.[1],
  );

async function headOf(path: string, host: string, ofAge = true) {
  const visitor = await site.visitor({ ofAge, host });
  const { body } = await visitor.request({ method: 'GET', url: path });
  return body.slice(0, body.indexOf('</head>'));
}

describe.each([['localhost', 'Candela', 'http://localhost'], [HOST, 'Lagoon', 'https://lagoon.example']])(
  'the head of a page of %s',
  (host, name, main) => {
    test(
      'has a canonical address on the main site, and a title with the name of this one [A-119, A-120]',
      async () => {
        for (const path of PATHS) {
          const head = await headOf(path, host);
          expect([...head.matchAll(/<link rel="canonical" href="([^"]*)"/gu)].map(([, href]) => href))
            .toEqual([`${main}${path}`]);
          expect([...head.matchAll(/<title>([^<]*)<\/title>/gu)].map(([, title]) => title))
            .toEqual([expect.stringMatching(new RegExp(`${name} Free Live Cams$`, 'u'))]);
        }
      },
    );

    test('has that address before the entry gate, too: crawlers never pass it [A-119]', async () => {
      for (const path of ['/', '/girls', '/marina', '/marina/bio', '/marina/fanclub']) {
        const head = await headOf(path, host, false);
        expect([...head.matchAll(/<link rel="canonical" href="([^"]*)"/gu)].map(([, href]) => href), path)
          .toEqual([`${main}${path}`]);
      }
    });

    test(
      'of a frame for other sites, and before the entry gate, has that name in its title too [A-120]',
      async () => {
        const stranger = await site.visitor({ host });
        for (const [visitor, path] of [
          [await site.visitor({ ofAge: true, host }), '/embed/marina'],
          [stranger, '/marina'],
          [stranger, '/girls'],
          [stranger, '/'],
        ] as const) {
          const { body } = await visitor.request({ method: 'GET', url: path });
          expect([path, /<title>([^<]*)<\/title>/u.exec(body)?.[1]])
            .toEqual([path, expect.stringMatching(new RegExp(`${name} Free Live Cams$`, 'u'))]);
        }
      },
    );

    test('has Open Graph data, and a Twitter card that says the same [A-121, A-122]', async () => {
      // Crawlers never pass the entry gate.
      for (const [path, ofAge] of [
        ...PATHS.map((text) => [text, true] as const),
        ['/', false],
        ['/girls', false],
        ['/marina/bio', false],
        ['/marina/fanclub', false],
      ] as const) {
        const head = await headOf(path, host, ofAge);
        const title = contentOf(head, 'og:title');
        expect([path, title]).toEqual([path, expect.stringContaining(path === '/marina' ? 'marina' : name)]);
        if (path.startsWith('/marina/')) expect(title).toContain('marina');
        expect(contentOf(head, 'og:site_name')).toBe(name);
        expect(contentOf(head, 'og:url')).toBe(`${main}${path}`);
        expect(contentOf(head, 'og:type')).toBe(path.startsWith('/marina') ? 'profile' : 'website');
        expect(contentOf(head, 'og:image')).toMatch(new RegExp(`^${main}/share/[a-z]+\\.png$`, 'u'));
        expect(contentOf(head, 'twitter:card')).toBe('summary_large_image');
        // Pages that search engines never list have no description.
        if (!/login|nobody/u.test(path)) {
          expect(`${path} ${contentOf(head, 'og:description')}`).toMatch(/^\S+ \w+:? \w+/u);
        }
        for (const one of ['title', 'description', 'image']) {
          expect([path, contentOf(head, `twitter:${one}`)]).toEqual([path, contentOf(head, `og:${one}`)]);
        }
      }
    });
  },
);

const titlesIn = (html: string): readonly (string | undefined)[] =>
  [...html.matchAll(/<title>([^<]*)<\/title>/gu)].map(([, title]) => title);

/** An address of each page of the site; of pages with several, the first. */
function eachPage(): readonly string[] {
  const given = {
    ':username': 'marina',
    ':gender': 'girls',
    ':contest': 'sodastars',
    ':month': '2026-01',
    '/*': '',
  };
  const all = routes.flatMap(({ path = '', file, children = [] }) => (children.length === 0
    ? [{ file, path }]
    : children.map((child) => ({ file: child.file, path: `${path}/${child.path ?? ''}` })))
  );
  const first = new Map(all.toReversed().map(({ file, path }) => [file, path]));
  return [...first.values()].map((path) =>
    `/${Object.entries(given).reduce((filled, [name, value]) => filled.replace(name, value), path)}`
  );
}
test('without a public address the head names the port in use, before the entry gate too', async () => {
  const host = 'localhost:3130';
  for (const [path, ofAge] of [['/', true], ['/', false], ['/girls', false], ['/marina', true]] as const) {
    const head = await headOf(path, host, ofAge);
    const links = head.matchAll(/<link rel="(?:canonical|alternate)"[^>]* href="(http[^"]*)"/gu);
    const said = [
      ...[...links].map(([, to]) => to),
      ...['og:url', 'og:image', 'twitter:image'].map((name) => contentOf(head, name)),
    ];
    expect(said.length).toBeGreaterThan(4);
    expect(said.filter((item) => !item?.startsWith(`http://${host}/`)), path).toEqual([]);
  }
});

/** Refused and missing pages have a title, too. */
const WITHOUT = new Map([
  ['/account/card', 403],
  ['/account/receipts/:id', 404],
  ['/account/shows/recordings/:show', 404],
  ['/account/shows/said/:kind/:show', 404],
  // No region of these visitors asks for a proof of age.
  ['/verify-age/card', 403],
  ['/*', 404],
]);

test('each page has one title, which ends with the site’s name, and one address [A-119, A-120]', async () => {
  const [guest, performer, admin] = [
    await site.visitor({ ofAge: true }),
    await site.performer(),
    await site.admin(),
  ];
  const paths = eachPage();
  expect(paths.length).toBeGreaterThan(50);
  for (const url of paths) {
    const who = url.startsWith('/admin/')
      ? admin
      : /^\/(?:account|go-live|notifications|verify|legal\/document)/u.test(url)
      ? performer
      : guest;
    const { statusCode, body } = await who.request({ method: 'GET', url });
    expect([url, statusCode, titlesIn(body)]).toEqual([
      url,
      WITHOUT.get(url) ?? 200,
      [expect.stringMatching(/^(?:\S.* · |)Candela Free Live Cams$/u)],
    ]);
    expect([...body.matchAll(/<link rel="canonical" href="([^"]*)"/gu)].map(([, href]) => href), url)
      .toEqual([expect.stringMatching(/^http:\/\/localhost\//u)]);
  }
});

test('the end of a title is the same in every language [A-120]', async () => {
  for (const language of LOCALES) {
    const visitor = await site.visitor({ ofAge: true, language });
    for (const path of ['/girls', '/marina', '/marina/bio', '/marina/fanclub', '/legal']) {
      const { body } = await visitor.request({ method: 'GET', url: path });
      expect([language, path, /<html[^>]* lang="(..)"/u.exec(body)?.[1], titlesIn(body)])
        .toEqual([language, path, language, [expect.stringMatching(/ · Candela Free Live Cams$/u)]]);
    }
  }
});

test('the share image is large, of the site; /games and performers have others [A-123, A-124]', async () => {
  const images = await Promise.all(['localhost', HOST].flatMap((host) =>
    ['/girls', '/games', '/marina'].map(
      async (path) => {
        const head = await headOf(path, host);
        expect(['width', 'height'].map((side) => contentOf(head, `og:image:${side}`))).toEqual([
          '1200',
          '630',
        ]);
        const { hostname, pathname } = new URL(contentOf(head, 'og:image') ?? '');
        expect(hostname).toBe(host.replace('www.', ''));
        const visitor = await site.visitor({ host });
        const { statusCode, rawPayload } = await visitor.request({ method: 'GET', url: pathname });
        const size = [rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)];
        expect([statusCode, ...size]).toEqual([200, 1200, 630]);
        return rawPayload.toString('base64');
      },
    )
  ));
  expect(new Set(images).size).toBe(6);
  const pathOf = async (path: string) =>
    new URL(contentOf(await headOf(path, 'localhost'), 'og:image') ?? '').pathname;
  const games = await pathOf('/games');
  for (const path of ['/', '/marina', '/tags', '/esports', '/wifeaway', '/support', '/models']) {
    expect([path, await pathOf(path)]).not.toEqual([path, games]);
  }
  // Crawlers never pass the entry gate.
  const outside = await headOf('/games', 'localhost', false);
  expect(contentOf(outside, 'og:image')).toBe(`http://localhost${games}`);
});
