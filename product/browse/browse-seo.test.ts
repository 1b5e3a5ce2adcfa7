import { updateProfile } from '#product/accounts/contract.ts';
import { LOCALES } from '#product/site/rules.ts';
import { siteTexts as text } from '#product/testkit/site-texts.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGE_SLUGS, LISTING_KINDS, listingOf, type Listing } from './rules/listing/listings.ts';
import { MAX_RELATED } from './rules/seo.ts';
import { PUBLIC_LISTINGS } from './rules/sharing.ts';
import { seoOf } from './server/seo.ts';

const OTHERS = [
  '/girls/tag/dance',
  '/girls/tag/dance/music',
  '/browse-role/dj',
  '/browse-role/singer',
  '/browse-studio/north',
  '/browse-studio/south',
  '/followed',
  '/for-you',
  '/view-history',
];
const LISTINGS = [...PUBLIC_LISTINGS, ...OTHERS].map((path) => listingOf(path) as Listing);

describe('the texts of listings', () => {
  it('are there for every kind, and of no listing twice', () => {
    expect(new Set(LISTINGS.map(({ kind }) => kind))).toEqual(new Set(LISTING_KINDS));
    for (const locale of LOCALES) {
      const titles = LISTINGS.map((listing) => seoOf(listing, locale, 3, 'Candela', text).metaTitle);
      expect([locale, titles.length - new Set(titles).size]).toEqual([locale, 0]);
    }
  });

  it('say of chatting that it takes an account, in every listing and language', () => {
    for (const locale of LOCALES) {
      const said = LISTINGS.map((listing) => seoOf(listing, locale, 3, 'Candela', text).description)
        .filter((words) => /chat|discut/iu.test(words));
      expect(said.length).toBeGreaterThan(10);
      for (const words of said) expect(words).toMatch(/account|Konto|cuenta|compte/u);
    }
  });

  it('are whole: no key, no placeholder, no description that a search engine would cut much', () => {
    for (const locale of LOCALES) {
      for (const listing of LISTINGS) {
        const seo = seoOf(listing, locale, 3, 'Candela', text, 2);
        const where = `${locale} ${listing.path}`;
        expect([where, /\{\{|listing\.|seo\.|undefined/u.exec(JSON.stringify(seo))?.[0]])
          .toEqual([where, undefined]);
        expect([where, seo.metaDescription.length < 170, seo.metaTitle.length < 110])
          .toEqual([where, true, true]);
        expect([
          where,
          seo.relatedLinks.length <= MAX_RELATED,
          seo.relatedLinks.every(({ path }) => path !== listing.path && listingOf(path) !== null),
        ]).toEqual([where, true, true]);
        expect([where, seo.breadcrumbList.at(0)?.path]).toEqual([where, '/']);
      }
    }
  });

  it('are those that the specification quotes', () => {
    const heading = (path: string) => seoOf(listingOf(path) as Listing, 'en', 0, 'Candela', text).h1;
    expect(heading('browse-role/dj')).toBe('Models online with role dj');
    expect(heading('browse-studio/north')).toBe('Your online models');
    expect(heading('girls/private-shows/ticket-cam-shows')).toBe('Ticket Show Recordings');
    expect(heading('men/private-shows/exclusive-available-now')).toBe('Exclusive Available Now');
  });

  it('carry no markup of anybody: what stands in HTML is escaped', () => {
    const { footerHtml } = seoOf(listingOf('girls') as Listing, 'en', 0, '<b>A & "B"</b>', text);
    expect(footerHtml).toContain('&lt;b&gt;A &amp; &quot;B&quot;&lt;/b&gt;');
  });
});

describe('the seo of browse data', () => {
  let site: TestSite;
  let guest: Visitor;
  beforeAll(async () => {
    site = await createSite();
    guest = await site.visitor({ ofAge: true });
  });
  afterAll(() => site.close());

  const seoAt = async (path: string, language: string): Promise<object> => {
    const { statusCode, json } = await guest.request({
      url: `/api/v1/browse/react/${path}`,
      headers: { 'accept-language': language },
    });
    expect(statusCode).toBe(200);
    return json<{ seo: object }>().seo;
  };

  it('has every field, in the language of the request, by what this viewer sees [C-090]', async () => {
    const codes = Object.values(LANGUAGE_SLUGS);
    for (const [at, username] of ['anna', 'berta', 'canary'].entries()) {
      const performer = await site.performer({ username });
      // Links need listings with performers: these three speak all fifteen languages between them.
      const others = codes.slice(at * 5, at * 5 + 5).filter((code) => code !== 'de');
      await performer.call(updateProfile, { languages: ['de', ...others] });
      await performer.goesLive();
      if (username === 'canary') {
        await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['BR']));
      }
    }
    await site.settle();
    const languages = [
      'Arabic',
      'Chinese',
      'Dutch',
      'English',
      'French',
      'Italian',
      'Japanese',
      'Korean',
      'Polish',
      'Portuguese',
      'Romanian',
      'Russian',
      'Spanish',
      'Ukrainian',
    ];
    expect(await seoAt('girls/language/german', 'en')).toEqual({
      metaTitle: 'Girls who speak German · Candela Free Live Cams',
      metaDescription: 'Girls who are live right now and speak German. Chat with a free account. '
        + '3 performers live.',
      h1: 'Girls who speak German',
      description: 'Girls who are live right now and speak German. Chat with a free account.',
      headerHtml: '',
      footerHtml: '<p>Everyone you can watch on Candela is an adult whose age and identity were verified '
        + 'first.</p>',
      breadcrumbList: [
        { name: 'Candela', path: '/' },
        { name: 'Girls live now', path: '/girls' },
        { name: 'Girls who speak German', path: '/girls/language/german' },
      ],
      relatedLinks: languages.map((name) => ({
        name: `Girls who speak ${name}`,
        path: `/girls/language/${name.toLowerCase()}`,
      })),
    });
    expect(await seoAt('girls/language/german', 'fr')).toMatchObject({
      metaTitle: 'Filles qui parlent allemand · Candela Free Live Cams',
      h1: 'Filles qui parlent allemand',
      metaDescription: 'Filles en direct en ce moment, qui parlent allemand. '
        + 'Pour discuter, un compte gratuit suffit. 3 modèles en direct.',
    });
    const abroad = await site.visitor({ ofAge: true, region: 'BR' });
    const { seo } = (await abroad.request({ url: '/api/v1/browse/react/girls/language/german' }))
      .json<{ seo: { metaDescription: string } }>();
    expect(seo.metaDescription).toMatch(/ 2 performers live\.$/u);
  });

  it('names the page from the second on', async () => {
    expect(await seoAt('top?p=2', 'en'))
      .toMatchObject({ metaTitle: 'Top performers, page 2 · Candela Free Live Cams', h1: 'Top performers' });
  });

  it('logs no errors', () => expect(site.log).toEqual([]));
});
