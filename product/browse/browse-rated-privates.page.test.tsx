import { ratePerformer } from '#product/shows/contract/ratings.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SECTIONS = [
  ['girls', 'f', 'Girls'],
  ['couples', 'c', 'Couples'],
  ['men', 'm', 'Men'],
  ['trans', 't', 'Trans performers'],
] as const;
const FANS = 3;

let site: TestSite;
let guest: Visitor;
/** One performer per section, rated in private shows; the girls have a second one, rated worse. */
const rated = new Map<string, Member[]>();

beforeAll(async () => {
  site = await createSite();
  for (const [slug, gender] of SECTIONS) {
    const ofSection = [await privatePerformer(site, {}, { gender })];
    if (slug === 'girls') ofSection.push(await privatePerformer(site, {}, { gender }));
    rated.set(slug, ofSection);
    // Live and offering private shows, but unrated.
    await privatePerformer(site, {}, { gender });
  }
  for (let fan = 0; fan < FANS; fan += 1) {
    const viewer = await site.viewer({ tokens: 1_000 });
    for (const [best, ...others] of rated.values()) {
      if (best) await rates(viewer, best, 'RATE_UP');
      for (const worse of others) await rates(viewer, worse, fan === 0 ? 'RATE_DOWN' : 'RATE_UP');
    }
  }
  await site.settle();
  guest = await site.visitor({ ofAge: true });
});
afterAll(() => site.close());

/** A private show of a second, and a vote after it. */
async function rates(viewer: Member, performer: Member, vote: 'RATE_UP' | 'RATE_DOWN'): Promise<void> {
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 1);
  await endsPrivate(viewer, performer);
  await viewer.tips(performer, 25);
  await site.settle();
  await viewer.call(ratePerformer, { username: performer.username, vote });
}

test.each(SECTIONS)(
  'a link of /%s leads to its top-rated private shows: %s, %s [B-051, B-087]',
  async (slug, _gender, who) => {
    const page = await openPage(site, guest, `/${slug}`);
    const heading = `${who} with the best-rated private shows`;
    await page.press(heading, { role: 'link' });
    await page.find('heading', heading, { level: 1 });
    expect(page.path).toBe(`/${slug}/private-shows/top-rated`);
    await page.until(() => {
      const shown = page.all('article').map((element) => element.querySelector('a')?.getAttribute('href'));
      expect(shown).toEqual(rated.get(slug)?.map(({ username }) => `/${username}`));
    });
  },
);
