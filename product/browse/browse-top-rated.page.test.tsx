import { saveListingProfile } from '#product/performers/contract.ts';
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
import { afterAll, beforeAll, expect, test } from 'vitest';

const SECTIONS = [['girls', 'f', 'Girls'], ['men', 'm', 'Men']] as const;
type Section = (typeof SECTIONS)[number][0];

let site: TestSite;
/** Rated by viewers of their private shows: the first always well, the second badly by one in three. */
let rated: Record<Section, readonly [best: Member, good: Member]>;
beforeAll(async () => {
  site = await createSite();
  const fans = [];
  for (let fan = 0; fan < 3; fan += 1) fans.push(await site.viewer({ tokens: 3_000 }));
  const pairs = [];
  for (const [section, gender] of SECTIONS) {
    const [good, best] = [
      await privatePerformer(site, {}, { gender }),
      await privatePerformer(site, {}, { gender }),
    ];
    // Unrated, and not counted here except for a camera that could be offered.
    const plain = await privatePerformer(site, {}, { gender });
    for (const performer of [good, best, plain]) {
      await performer.call(saveListingProfile, { offers_cam2cam: true });
    }
    for (const [at, fan] of fans.entries()) {
      for (const performer of [good, best]) {
        await inPrivate(fan, performer);
        const vote = performer === good && at === 0 ? 'RATE_DOWN' : 'RATE_UP';
        await fan.call(ratePerformer, { username: performer.username, vote });
      }
    }
    // Any other order would put the good one first.
    await fans[0]?.tips(good, 500);
    pairs.push([section, [best, good]]);
  }
  rated = Object.fromEntries(pairs) as typeof rated;
  await site.settle();
});
afterAll(() => site.close());

/** A private show of one second, and the tips that a vote requires. */
async function inPrivate(fan: Member, performer: Member): Promise<void> {
  await startsPrivate(fan, performer);
  await watches(fan, performer);
  await mediaPasses(site, performer, 1);
  await endsPrivate(fan, performer);
  await site.settle();
  await fan.tips(performer, 25);
  await site.settle();
}

type Page = Awaited<ReturnType<typeof openPage>>;

/** Addresses of the tiles on the page, in their order. */
const tilesOn = (page: Page): readonly string[] => [
  ...new Set(
    page.all('article').map((tile) => tile.querySelector('a')?.getAttribute('href') ?? ''),
  ),
];

/** As a guest, follows the link on the section's page to one of its listings. */
async function follows(section: Section, link: string): Promise<Page> {
  const page = await openPage(site, await site.visitor({ ofAge: true }), `/${section}`);
  const all = await page.find('navigation', 'All listings');
  await page.press(link, { role: 'link', in: all });
  await page.find('heading', link, { level: 1 });
  await page.until(() => expect(tilesOn(page)).toEqual(rated[section].map(({ username }) => `/${username}`)));
  return page;
}

test.each(SECTIONS)(
  'a link of /%s leads to its top rated, the best first [B-050, B-086]',
  async (section, _gender, who) => {
    const page = await follows(section, `${who} with the best ratings`);
    expect(page.path).toBe(`/${section}/top-rated`);
    expect(await page.problems()).toEqual([]);
  },
);

test.each(SECTIONS)(
  'a link of /%s leads to its top rated private shows with cam2cam, the best first [B-049]',
  async (section, _gender, who) => {
    const page = await follows(section, `${who} with the best-rated Cam2Cam shows`);
    expect(page.path).toBe(`/${section}/private-shows/cam2cam/top-rated`);
    expect(await page.problems()).toEqual([]);
  },
);

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
