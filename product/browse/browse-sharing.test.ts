import { inXml } from '#platform/text/shown/xml.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { uploadAvatar } from '#product/accounts/contract/avatar.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { uploadPicture } from '#product/performers/contract/pictures.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { calendarErrors, xmlErrors } from '#product/testkit/strict-parsers.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getCalendar,
  getLiveFeed,
  getRobots,
  getShareImage,
  getSitemap,
  getSitemapPart,
  listAffiliateOnline,
  oEmbed,
} from './contract/sharing.ts';
import { PUBLIC_LISTINGS } from './rules/sharing.ts';

let site: TestSite;
let program: Visitor;
let anna: Member;
let berta: Member;
/** One blocks a region, one is suspended, one lost the clearance, one never had it. */
const canaries: Member[] = [];

beforeAll(async () => {
  site = await createSite();
  program = await site.visitor({ opened: false });
  anna = await site.performer({ username: 'anna', live: true });
  await anna.call(setDetails, { title: 'Rock & <b>roll</b>', tags: ['dance'] });
  await anna.call(updateProfile, { display_name: 'Anna & Co', languages: ['de'] });
  await site.passes(60_000);
  berta = await site.performer({ username: 'berta', live: true, gender: 'm' });
  for (const name of ['blocked', 'suspended', 'revoked']) {
    canaries.push(await site.performer({ username: `canary-${name}`, live: true }));
  }
  canaries.push(await site.performer({ username: 'canary-unseen', cleared: false }));
  const [blocked, suspended, revoked] = canaries as [Member, Member, Member];
  const admin = await site.admin();
  await site.tx(async (tx) => {
    await site.services.compliance.blockRegions(tx, blocked.id, ['BR']);
    await site.services.accounts.suspend(tx, suspended.id, {
      suspended: true,
      actorId: admin.id,
      reason: 'a test',
    });
  });
  await admin.call(decideClearance, { username: revoked.username, decision: 'revoke', reason: 'a test' });
  await site.settle();
});
afterAll(() => site.close());

const got = async (url: string, headers: Record<string, string> = {}) => program.request({ url, headers });
const locations = (xml: string): string[] =>
  [...xml.matchAll(/<loc>([^<]*)<\/loc>/gu)].map(([, loc]) => loc ?? '');

describe('the sitemap', () => {
  it('is named by robots.txt, which closes what belongs to one person', async () => {
    const robots = await got(getRobots.path);
    expect(robots.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(robots.body.split('\n')).toContain('Sitemap: http://localhost/sitemap.xml');
    for (const path of ['/account/', '/admin/', '/api/', '/overlay/', '/followed']) {
      expect(robots.body).toContain(`Disallow: ${path}\n`);
    }
    expect(robots.headers['cache-control']).toBe('public, max-age=3600');
  });

  it('has the performers that are shown everywhere, live or not, and no canary', async () => {
    const carla = await site.performer({ username: 'carla' });
    await site.settle();
    const index = await got(getSitemap.path);
    expect(index.headers['content-type']).toBe('application/xml; charset=utf-8');
    expect(locations(index.body)).toEqual([
      'http://localhost/sitemap/listings.xml',
      'http://localhost/sitemap/performers-1.xml',
    ]);
    const performers = await got(getSitemapPart.path.replace(':part', 'performers-1.xml'));
    expect(locations(performers.body))
      .toEqual([anna, berta, carla].map(({ username }) => `http://localhost/${username}`));
    const absent = [
      'performers-2.xml',
      'performers-0.xml',
      'performers-1',
      'others.xml',
      'performers-99999.xml',
    ];
    for (const part of absent) {
      expect([part, (await got(`/sitemap/${part}`)).statusCode]).toEqual([part, 404]);
    }
  });

  it('has the listings in which somebody is, in every language', async () => {
    const { body } = await got('/sitemap/listings.xml');
    const found = locations(body).map((loc) => new URL(loc).pathname);
    expect(found).toContain('/girls/language/german');
    expect(found).toContain('/men');
    for (const empty of ['/couples', '/trans/new', '/girls/language/french', '/voyeur-cams', '/followed']) {
      expect(found).not.toContain(empty);
    }
    expect(found.every((path) => PUBLIC_LISTINGS.includes(path))).toBe(true);
    for (const locale of ['en', 'de', 'es', 'fr', 'it', 'nl']) {
      expect(body).toContain(`hreflang="${locale}" href="http://localhost/men?lang=${locale}"`);
    }
  });
});

describe('the feed of who went live', () => {
  it('has the newest first, in the reader’s language, with what people wrote as text', async () => {
    const feed = await got(getLiveFeed.path, { 'accept-language': 'de' });
    expect(feed.headers['content-type']).toBe('application/rss+xml; charset=utf-8');
    expect(feed.headers['vary']).toMatch(/accept-language/iu);
    const titles = [...feed.body.matchAll(/<item><title>([^<]*)</gu)].map(([, title]) => title);
    expect(titles).toEqual(['berta ist live', 'Anna &amp; Co ist live']);
    expect(feed.body)
      .toContain('<description>Rock &amp;amp; &amp;lt;b&amp;gt;roll&amp;lt;/b&amp;gt;</description>');
    expect(feed.body).toContain('<link>http://localhost/berta</link>');
    expect(feed.body).not.toMatch(/<img|<enclosure|thumbnails|portraits/u);
  });
});

describe('the calendar of a performer', () => {
  it('has the times of four weeks, in UTC', async () => {
    await anna.call(saveListingProfile, {
      time_zone: 'Europe/Berlin',
      schedule: [{ day: 0, fromMinute: 20 * 60, minutes: 120 }],
    });
    // Thursday 2026-01-15 12:01 UTC.
    const calendar = await got(getCalendar.path.replace(':username', 'Anna'));
    expect(calendar.headers['content-type']).toBe('text/calendar; charset=utf-8');
    const lines = calendar.body.split('\r\n');
    expect(lines.filter((line) => /^DTSTART:\w+Z$/u.test(line))).toEqual([
      'DTSTART:20260119T190000Z',
      'DTSTART:20260126T190000Z',
      'DTSTART:20260202T190000Z',
      'DTSTART:20260209T190000Z',
    ]);
    expect(lines).toContain('DTEND:20260119T210000Z');
    expect(lines).toContain('SUMMARY:Anna & Co live on Candela');
    expect(new Set(lines.filter((line) => line.startsWith('UID'))).size).toBe(4);
    expect([lines[0], lines.at(-2)]).toEqual(['BEGIN:VCALENDAR', 'END:VCALENDAR']);
    expect(lines.every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  });

  it('has all times of somebody who is live often, each once', async () => {
    const schedule = Array.from(
      { length: 21 },
      (_, at) => ({ day: at % 7, fromMinute: 120 + Math.floor(at / 7) * 480, minutes: 60 }),
    );
    await berta.call(saveListingProfile, { time_zone: 'UTC', schedule });
    const { body } = await got('/berta/schedule.ics');
    const starts = [...body.matchAll(/DTSTART:(\w+Z)/gu)].map(([, at]) => at);
    expect(starts).toHaveLength(4 * 21);
    expect(new Set(starts).size).toBe(4 * 21);
  });
});

describe('embedding a room', () => {
  it('is described by oEmbed, and fits the space there is', async () => {
    const answer = await got(`${oEmbed.path}?url=http%3A%2F%2Flocalhost%2FAnna`);
    expect(answer.headers['vary']).toMatch(/accept-language/iu);
    expect(answer.json()).toEqual({
      type: 'rich',
      version: '1.0',
      title: 'Anna & Co live on Candela',
      author_name: 'Anna & Co',
      author_url: 'http://localhost/anna',
      provider_name: 'Candela',
      provider_url: 'http://localhost/',
      cache_age: 3600,
      thumbnail_url: 'http://localhost/share/anna.png',
      thumbnail_width: 1200,
      thumbnail_height: 630,
      width: 640,
      height: 360,
      html: '<iframe src="http://localhost/embed/anna" width="640" height="360" '
        + 'title="Anna &amp; Co live on Candela" allow="autoplay; fullscreen" loading="lazy" '
        + 'style="border:0" referrerpolicy="no-referrer"></iframe>',
    });
    const small = await got('/oembed?url=http://localhost/anna&maxwidth=320&maxheight=1000');
    expect(small.json()).toMatchObject({ width: 320, height: 180 });
    expect((await got('/oembed?url=http://localhost/anna&format=xml')).statusCode).toBe(422);
    const others = ['http://evil.example/anna', 'javascript:anna', 'anna', 'http://localhost/girls/new', ''];
    for (const url of others) {
      expect([url, (await got(`/oembed?url=${encodeURIComponent(url)}`)).statusCode]).toEqual([url, 404]);
    }
  });

  it('has a picture of the name for links, of nothing that a performer shows', async () => {
    const { rawPayload, headers } = await got(getShareImage.path.replace(':file', 'anna.png'));
    expect(headers['content-type']).toBe('image/png');
    expect(await sharp(rawPayload).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 });
    const other = await got('/share/berta.png');
    expect(other.rawPayload.equals(rawPayload)).toBe(false);
    expect((await got('/share/anna.png')).rawPayload.equals(rawPayload)).toBe(true);
    expect((await got('/share/site.png')).statusCode).toBe(200);
    for (const file of ['nobody.png', 'anna.jpg', '..%2Fanna.png', 'anna']) {
      expect([file, (await got(`/share/${file}`)).statusCode]).toEqual([file, 404]);
    }
    // The other site has drawn no card yet, while its performer has images of every kind.
    const elsewhere = await createSite();
    const shown = await elsewhere.performer({ username: 'anna', live: true });
    const { stream } = await playbackOf(shown, shown);
    elsewhere.outputs.photograph(stream);
    for (const upload of [uploadAvatar, uploadPicture]) {
      const form = new FormData();
      const create = { width: 300, height: 200, channels: 3, background: '#31c3b4' } as const;
      form.set('file', new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]));
      await shown.call(upload, {}, { form });
    }
    await elsewhere.settle();
    const visitor = await elsewhere.visitor({ ofAge: true });
    expect((await visitor.request({ url: '/thumbs/t/anna' })).statusCode).toBe(200);
    const card = await (await elsewhere.visitor({ opened: false })).request({ url: '/share/anna.png' });
    expect([card.statusCode, card.rawPayload.equals(rawPayload)]).toEqual([200, true]);
    await elsewhere.close();
  });
});

describe('the affiliate feed', () => {
  const online = async (query: string) => {
    const { statusCode, json } = await got(`/api/v1${listAffiliateOnline.path}?${query}`);
    expect(statusCode).toBe(200);
    return json<{
      performers: { username: string; url: string; embedUrl: string; thumbnailUrl: string | null }[];
      totalCount: number;
      page: number;
      perPageCount: number;
    }>();
  };
  const names = async (query: string) =>
    (await online(query)).performers.map(({ username }) => username).toSorted();

  it('has who may be seen in the region it names, and everywhere without one', async () => {
    expect(await names('')).toEqual(['anna', 'berta']);
    expect(await names('region=BR')).toEqual(['anna', 'berta']);
    expect(await names('region=US')).toEqual(['anna', 'berta', 'canary-blocked']);
    expect(await online('region=BR')).toMatchObject({ totalCount: 2 });
    expect(await names('gender=m')).toEqual(['berta']);
    expect(await names('gender=girls')).toEqual(['anna']);
    expect(await names('tag=dance')).toEqual(['anna']);
  });

  it('puts the tracking ids of the request into every link', async () => {
    const { performers } = await online('u1=a%26b&advert_id=7&unknown=1&tag=dance');
    expect(performers).toMatchObject([{
      username: 'anna',
      displayName: 'Anna & Co',
      gender: 'f',
      status: 'online',
      tags: ['dance'],
      languages: ['de'],
      subject: 'Rock & <b>roll</b>',
      viewers: 0,
      url: 'http://localhost/anna?advert_id=7&u1=a%26b',
      embedUrl: 'http://localhost/embed/anna?advert_id=7&u1=a%26b',
    }]);
  });

  it('has pictures only where a declared age is enough, and none behind a camera password', async () => {
    site.outputs.photograph((await playbackOf(anna, anna)).stream);
    const picture = async (region: string) =>
      (await online(`${region}&tag=dance`)).performers[0]?.thumbnailUrl;
    expect(await picture('region=BR')).toMatch(/^http:\/\/localhost\/thumbs\/t\/anna\?v=\d+$/u);
    for (const region of ['', 'region=DE', 'region=US-FL', 'region=GB']) {
      expect(await picture(region)).toBeNull();
    }
    await anna.call(saveRoomSettings, { username: 'anna', camPassword: 'candle light' });
    await site.settle();
    expect(await picture('region=BR')).toBeNull();
    await anna.call(saveRoomSettings, { username: 'anna', camPassword: null });
  });

  it('has pages', async () => {
    const [first, second] = [await online('perPage=1'), await online('perPage=1&p=2')];
    expect([first.performers.length, first.totalCount, second.performers.length, second.page])
      .toEqual([1, 2, 1, 2]);
    expect(first.performers[0]?.username).not.toBe(second.performers[0]?.username);
    expect((await got('/api/v1/affiliates/online?perPage=101')).statusCode).toBe(422);
  });
});

it('nothing for programs shows anybody who is hidden anywhere, whoever asks', async () => {
  const paths = [
    '/robots.txt',
    '/sitemap.xml',
    '/sitemap/listings.xml',
    '/sitemap/performers-1.xml',
    '/feed.rss',
    '/api/v1/affiliates/online',
    '/api/v1/affiliates/online?region=BR',
  ];
  const askers = [program, await site.visitor({ ofAge: true }), await site.admin(), canaries[0] as Member];
  for (const who of askers) {
    for (const url of paths) {
      const { statusCode, body } = await who.request({ url });
      expect([url, statusCode, body.includes('canary')]).toEqual([url, 200, false]);
    }
    const unknown = (await who.request({ url: '/oembed?url=http://localhost/nobody' })).body;
    for (const { username } of canaries) {
      const { statusCode, body } = await who.request({ url: `/oembed?url=http://localhost/${username}` });
      expect([username, statusCode, body]).toEqual([username, 404, unknown]);
      for (const url of [`/${username}/schedule.ics`, `/share/${username}.png`]) {
        expect([url, (await who.request({ url })).statusCode]).toEqual([url, 404]);
      }
    }
  }
});

it('somebody who is blocked or suspended just now is gone from what names one performer', async () => {
  await site.tx((tx) => site.services.compliance.blockRegions(tx, berta.id, ['IT']));
  // Before a single fact is delivered.
  for (const url of ['/berta/schedule.ics', '/share/berta.png', '/oembed?url=http://localhost/berta']) {
    expect([url, (await got(url)).statusCode]).toEqual([url, 404]);
  }
});

it('logs no errors', () => expect(site.log).toEqual([]));

describe('what programs read of hostile texts', () => {
  const HOSTILE = 'A\uFFFE\uFFFF\u0001\uD800 ]]> <![CDATA[ &amp; <b a="\'">\u202E\r\nBEGIN:VEVENT; , \\ שלום';

  it('is well-formed: feed, sitemap and calendar', async () => {
    const dora = await site.performer({ username: 'dora', live: true });
    // PostgreSQL refuses half of a surrogate pair.
    const stored = HOSTILE.replace('\uD800', '');
    await dora.call(setDetails, { title: stored, tags: [] });
    await dora.call(updateProfile, { display_name: 'Дора & <שלום> "\'\uFFFE' });
    // A name is in the calendar and in each of its events.
    await dora.call(saveListingProfile, {
      time_zone: 'Europe/Berlin',
      schedule: [{ day: 0, fromMinute: 20 * 60, minutes: 120 }],
    });
    await site.settle();
    const feed = await got(getLiveFeed.path);
    expect(xmlErrors(feed.body)).toEqual([]);
    expect(feed.body).toContain('&amp;lt;![CDATA[ &amp;amp;amp;');
    expect(feed.body).toContain(' xmlns:atom="http://www.w3.org/2005/Atom"');
    for (const path of [getSitemap.path, '/sitemap/listings.xml', '/sitemap/performers-1.xml']) {
      const { body } = await got(path);
      expect([path, xmlErrors(body)]).toEqual([path, []]);
      expect(body).toContain(' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"');
    }
    const { body: listings } = await got('/sitemap/listings.xml');
    expect(listings).toContain(' xmlns:xhtml="http://www.w3.org/1999/xhtml"');
    expect(calendarErrors((await got('/dora/schedule.ics')).body)).toEqual([]);
    await dora.call(updateProfile, { display_name: 'A; b, c\\ d' });
    await site.settle();
    const marked = (await got('/dora/schedule.ics')).body;
    expect(calendarErrors(marked)).toEqual([]);
    expect(marked.match(/^SUMMARY:A\\; b\\, c\\\\ d/gmu)).toHaveLength(4);
    expect(marked).toContain('X-WR-CALNAME:A\\; b\\, c\\\\ d');
    // The checks find what they should find.
    expect(xmlErrors('<a>\uFFFE</a>')).toHaveLength(1);
    expect(xmlErrors('<a><b></a>')).not.toEqual([]);
    expect(xmlErrors('<a>&nbsp;</a>')).toHaveLength(1);
    expect(xmlErrors('<a><b:c/></a>')).toHaveLength(1);
    expect(xmlErrors('<a xmlns:b="x"><b:c b:d="e"/></a>')).toEqual([]);
    expect(xmlErrors(`<a>${inXml(HOSTILE)}</a>`)).toEqual([]);
    expect(calendarErrors('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n')).toHaveLength(1);
  });

  it('is a valid calendar without any time, and one event of every day for who is always live', async () => {
    await site.performer({ username: 'emma' });
    await site.settle();
    const empty = (await got('/emma/schedule.ics')).body;
    expect(calendarErrors(empty)).toEqual([]);
    expect(empty).not.toContain('VEVENT');
    const frida = await site.performer({ username: 'frida' });
    await frida.call(saveListingProfile, {
      time_zone: 'Europe/Berlin',
      schedule: Array.from({ length: 7 }, (_none, day) => ({ day, fromMinute: 0, minutes: 1_440 })),
    });
    const { body, headers } = await got('/frida/schedule.ics');
    expect(calendarErrors(body)).toEqual([]);
    expect(body.match(/BEGIN:VEVENT/gu)).toHaveLength(1);
    expect(body).toContain('RRULE:FREQ=DAILY');
    expect(body).toMatch(/DTSTART:(\d{8})T000000Z\r\nDTEND:\d{8}T000000Z/u);
    expect(headers['vary']).toMatch(/accept-language/iu);
  });

  it.each([
    ['halves', [0, 720]],
    ['halves that begin at six', [360, 1_080]],
    ['thirds', [0, 480, 960]],
  ])('has one event of every day for who is always live in %s of a day', async (what, starts) => {
    const performer = await site.performer({ username: `gina-${starts.join('-')}` });
    const minutes = 1_440 / starts.length;
    await performer.call(saveListingProfile, {
      time_zone: 'Europe/Berlin',
      schedule: Array.from(
        { length: 7 },
        (_none, day) => starts.map((fromMinute) => ({ day, fromMinute, minutes })),
      ).flat(),
    });
    const { body } = await got(`/${performer.username}/schedule.ics`);
    expect([what, calendarErrors(body), body.match(/BEGIN:VEVENT/gu)?.length]).toEqual([what, [], 1]);
    expect(body).toContain('RRULE:FREQ=DAILY');
  });
});

describe('on a machine without a public address, absolute addresses name the port in use', () => {
  beforeAll(async () => {
    const henri = await site.performer({ username: 'henri' });
    await henri.call(saveListingProfile, {
      time_zone: 'Europe/Berlin',
      schedule: Array.from({ length: 7 }, (_none, day) => ({ day, fromMinute: 0, minutes: 1_440 })),
    });
  });

  it.each(['localhost:3130', '127.0.0.1:8080'])('at %s', async (host) => {
    const at = async (url: string): Promise<string> => (await got(url, { host })).body;
    const [robots, index, performers] = await Promise.all([
      at(getRobots.path),
      at(getSitemap.path),
      at('/sitemap/performers-1.xml'),
    ]);
    expect(robots).toContain(`Sitemap: http://${host}/sitemap.xml`);
    const addresses = [
      ...locations(index),
      ...locations(performers),
      ...[...(await at(getLiveFeed.path)).matchAll(/https?:\/\/[^<"]*/gu)].map(([one]) => one)
        .filter((text) => !text.startsWith('http://www.w3.org/')),
    ];
    expect(addresses.length).toBeGreaterThan(4);
    expect(addresses.filter((address) => !address.startsWith(`http://${host}/`))).toEqual([]);
    const card = JSON.parse(await at(`${oEmbed.path}?url=http://${host}/anna`)) as Record<string, unknown>;
    expect(card).toMatchObject({
      author_url: `http://${host}/anna`,
      thumbnail_url: `http://${host}/share/anna.png`,
    });
    const config = JSON.parse(await at('/api/v1/site_config')) as { site: { main_domain_url: string } };
    expect(config.site.main_domain_url).toBe(`http://${host}`);
    // A folded line of a calendar continues on the next line, after a space.
    const calendar = (await at('/henri/schedule.ics')).replaceAll('\r\n ', '');
    expect(calendar.match(/^URL:.*$/gmu)).toEqual([`URL:http://${host}/henri`]);
    const { performers: online } = JSON.parse(await at('/api/v1/affiliates/online?region=BR')) as {
      performers: readonly { username: string; url: string; embedUrl: string; thumbnailUrl: string | null }[];
    };
    expect(online.find(({ username }) => username === 'anna')).toMatchObject({
      url: `http://${host}/anna`,
      embedUrl: `http://${host}/embed/anna`,
    });
    const linked = online.flatMap((
      { url, embedUrl, thumbnailUrl },
    ) => [url, embedUrl, ...(thumbnailUrl === null ? [] : [thumbnailUrl])]);
    expect(linked.filter((text) => !text.startsWith(`http://${host}/`))).toEqual([]);
  });
});
