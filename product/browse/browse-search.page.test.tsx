import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { Sight } from '#product/testkit/pages/sight.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { multiFilter } from './contract/search.ts';

let site: TestSite;
let luna: Member;
let stella: Member;
let nova: Member;
beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
  luna = await live('lunabright', ['dance', 'jazz'], { region: 'europe', private_price: 12 });
  stella = await live('stellabright', ['dance'], { region: 'asia', private_price: 60 });
  nova = await live('novabright', ['music'], { region: 'europe', private_price: 90 });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

async function live(username: string, tags: string[], profile: object): Promise<Member> {
  const performer = await site.performer({ username });
  await performer.call(setDetails, { title: `${username} tonight`, tags });
  await performer.call(saveListingProfile, profile);
  await performer.goesLive();
  await settled();
  return performer;
}
async function settled(): Promise<void> {
  await site.settle();
  await site.services.browse.settled();
}

const guest = () => site.visitor({ ofAge: true });
const tile = ({ username }: { readonly username: string }): RegExp => new RegExp(username, 'u');
/** Waits until the tiles are exactly these performers. */
const showsTiles = (page: Page, usernames: readonly string[]): Promise<void> =>
  page.until(() => {
    const [main] = page.all('main');
    if (!main) throw new Error('no main part');
    const shown = [luna, stella, nova].filter((item) =>
      page.all('link', tile(item), { in: main }).length > 0
    );
    expect(shown.map(({ username }) => username)).toEqual(usernames);
  });
const asked = (page: Page): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes('/browse/react/multi-filter'));
const focused = (page: Page): Promise<void> =>
  page.until(() => expect(document.activeElement?.getAttribute('role')).toBe('combobox'));
/** Types into the header's search, and waits for the request. */
async function types(page: Page, text: string): Promise<void> {
  const field = await page.find('combobox', 'Search');
  await page.click(field);
  await page.idle();
  await page.keys(text);
  await site.passes(200);
}

test(
  'a guest searches from any page: suggestions, arrows, Enter, and the results at /search [C-003, A-133]',
  async () => {
    const page = await openPage(site, await guest(), '/tags');
    await page.find('combobox', 'Search');
    await page.keys('/');
    await focused(page);
    await types(page, 'lunabrigt');
    const list = await page.find('listbox', 'Suggestions');
    expect(page.all('option', undefined, { in: list }).map(({ textContent }) => textContent)).toEqual(
      expect.arrayContaining([expect.stringContaining('Search for “lunabrigt”')]),
    );
    await page.keys('{Escape}');
    await page.gone('listbox', 'Suggestions');
    await types(page, '{Control>}a{/Control}lunab');
    await page.find('option', /^lunabright/iu);
    await page.keys('{ArrowDown}');
    const box = await page.find('combobox', 'Search');
    await page.until(() => {
      const [option] = page.all('option', /^lunabright/iu);
      expect([option !== undefined, box.getAttribute('aria-activedescendant')]).toEqual([true, option?.id]);
    });
    await page.keys('{Enter}');
    await page.sees(/in the room/u);
    expect(page.path).toBe('/lunabright');
    await types(page, 'bright -jazz');
    await page.keys('{Enter}');
    await page.find('heading', 'Results for “bright -jazz”');
    expect(page.path).toBe('/search?q=bright%20-jazz');
    await showsTiles(page, ['stellabright', 'novabright']);
    expect(await page.problems()).toEqual([]);
    await types(page, '{Control>}a{/Control}stella -jazz');
    await page.keys('{Enter}');
    await page.find('heading', 'Results for “stella -jazz”');
    await showsTiles(page, ['stellabright']);
  },
);

test('typing asks once it pauses, and shows the last answer alone', async () => {
  const page = await openPage(site, await guest(), '/search');
  const pass = page.network.holds(/suggest\?q=lu$/u);
  await types(page, 'lu');
  await page.until(() =>
    expect(page.network.sent.filter((sent) => sent.endsWith('suggest?q=lu'))).toHaveLength(1)
  );
  await page.keys('n');
  await site.passes(200);
  await page.find('option', /^lunabright/iu);
  pass();
  await types(page, 'qqq');
  const suggests = page.network.sent.filter((sent) => sent.includes('/browse/suggest'));
  expect(suggests.map((sent) => /q=(.*)$/u.exec(sent)?.[1])).toEqual(['lu', 'lun', 'lunqqq']);
  await page.sees('No suggestions. Press Enter to search for “lunqqq”.');
});

test('on a phone an icon opens the search over the header', async () => {
  const page = await openPage(site, await guest(), '/search', { width: 390 });
  expect(page.all('combobox', 'Search')).toEqual([]);
  await page.press('Open search');
  await focused(page);
  await types(page, 'lunabr');
  await page.press(/^lunabright/iu, { role: 'option' });
  await page.sees(/in the room/u);
  expect(page.path).toBe('/lunabright');
});

test('/multi-filter combines filters in the address, with counts beside them [C-040, A-147]', async () => {
  const page = await openPage(site, await guest(), '/search');
  await page.press('Advanced search', { role: 'link', in: await page.find('banner') });
  await page.find('heading', 'Advanced search');
  expect(page.path).toBe('/multi-filter');
  await showsTiles(page, ['lunabright', 'stellabright', 'novabright']);
  const filters = await page.find('complementary', 'Filters');
  await page.press('dance 2', { role: 'checkbox', in: filters });
  await page.until(() => expect(page.path).toBe('/multi-filter?tag=dance'));
  await page.find('checkbox', 'Europe 1', { in: filters });
  await page.press('Europe 1', { role: 'checkbox', in: filters });
  await page.until(() => expect(page.path).toBe('/multi-filter?tag=dance&region=europe'));
  await page.idle();
  await showsTiles(page, ['lunabright']);
  await page.press('Asia 1', { role: 'checkbox', in: filters });
  await page.idle();
  await showsTiles(page, ['lunabright', 'stellabright']);
  await page.press('Clear filters', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/multi-filter'));
  expect(await page.problems()).toEqual([]);
});

test(
  'the page shows counts of six categories, and sends its filters but nothing empty [C-091, C-213]',
  async () => {
    await luna.call(updateProfile, { languages: ['de', 'en'] });
    await luna.call(saveListingProfile, { control_rate: 30 });
    await settled();
    const page = await openPage(
      site,
      await guest(),
      '/multi-filter?lang=&tag=dance&rate=&q=&region=&source='
        + '&chRate=&newSort=',
    );
    const filters = await page.find('complementary', 'Filters');
    for (const [group, counts] of [
      ['Gender', ['Girls 2']],
      ['Language', ['English 1', 'German 1']],
      ['Location', ['Asia 1', 'Europe 1']],
      ['Private show price', ['19–60 tokens a minute 1', '1–18 tokens a minute 1']],
      ['Toy control price', ['19–60 tokens a minute 1']],
      ['Tags', ['dance 2', 'jazz 1', 'music 1']],
    ] as const) {
      const found = await page.find('group', group, { in: filters });
      const shown = page.all('checkbox', undefined, { in: found })
        .map((box) => box.closest('label')?.textContent.trim());
      expect([group, shown.toSorted()]).toEqual([group, counts]);
    }
    expect(page.all('group', undefined, { in: filters })).toHaveLength(6);
    expect(asked(page).map((sent) => sent.split('multi-filter')[1])).toEqual(['?tag=dance']);
  },
);

test('the page of an advanced search reads its filters from the address [C-212]', async () => {
  const filters = 'lang=de&source=girls&tag=dance&rate=1-18&region=europe&chRate=19-60&newSort=newest';
  const page = await openPage(site, await guest(), `/multi-filter?${filters}`);
  await page.find('heading', 'Advanced search');
  await page.idle();
  const [sent = ''] = asked(page);
  expect(Object.fromEntries(new URL(sent.split(' ')[1] ?? '', 'http://localhost').searchParams)).toEqual({
    lang: 'de',
    source: 'girls',
    tag: 'dance',
    rate: '1-18',
    region: 'europe',
    chRate: '19-60',
    newSort: 'newest',
  });
});

describe('of a hundred performers', () => {
  beforeAll(async () => {
    for (let at = 0; at < 100; at += 1) await site.performer({ username: `crowd_${at}` });
    await settled();
  });
  const crowdOn = (page: Page): number => page.all('link', /crowd_/u).length;

  test(
    'leaving and coming back within 60 seconds restores filters and list, later neither [C-397]',
    async () => {
      const address = '/multi-filter?q=crowd&source=girls&newSort=newest';
      const page = await openPage(site, await guest(), address);
      const crowd = (): number => crowdOn(page);
      await page.until(() => expect(crowd()).toBe(60));
      await page.press('Show more');
      await page.until(() => expect(crowd()).toBe(90));
      const leave = async (): Promise<void> => {
        await page.press('Girls', { role: 'link' });
        await page.find('heading', /Girls/u);
      };
      const comeBack = async (): Promise<void> => {
        await page.press('Advanced search', { role: 'link' });
        await page.find('heading', 'Advanced search');
        await page.idle();
      };
      await leave();
      await site.passes(59_999);
      await comeBack();
      expect(page.path).toBe(address);
      await page.until(() => expect(crowd()).toBe(90));
      await leave();
      await site.passes(60_000);
      await comeBack();
      expect([page.path, crowd()]).toEqual(['/multi-filter', 0]);
      // The list is forgotten too: the same search begins with its first page.
      await page.fill('Names, tags or topics', 'crowd');
      await page.press('Search', { role: 'button', in: await page.find('main') });
      await page.until(() => expect([page.path, crowd()]).toEqual(['/multi-filter?q=crowd', 60]));
      // It is restored after a new document as well.
      await page.press('Show more');
      await page.until(() => expect(crowd()).toBe(90));
      await page.goto('/girls');
      await page.goto('/multi-filter');
      await page.until(() => expect([page.path, crowd()]).toEqual(['/multi-filter?q=crowd', 90]));
    },
  );

  test('a further load that fails shows the specification’s words [C-364]', async () => {
    const page = await openPage(site, await guest(), '/multi-filter?q=crowd');
    await page.until(() => expect(crowdOn(page)).toBe(60));
    page.network.goesDown(true);
    await page.press('Show more');
    await page.sees('Error during loading search results', { in: await page.find('main') });
    expect(crowdOn(page)).toBe(60);
    page.network.goesDown(false);
  });

  test('whoever scrolls near the end of the list gets 30 more, each time [C-398, C-399]', () =>
    Sight.during(async () => {
      const page = await openPage(site, await guest(), '/multi-filter?q=crowd');
      await page.until(() => expect(crowdOn(page)).toBe(60));
      expect(asked(page)).toHaveLength(1);
      for (const count of [90, 100]) {
        await page.until(() => expect(Sight.open.size).toBe(1));
        expect(Sight.lies()).toEqual({ margin: '0px 0px 800px 0px', after: page.all('article').at(-1) });
        Sight.scrolls();
        await page.until(() => expect(crowdOn(page)).toBe(count));
      }
      expect(asked(page).map((sent) => sent.split('multi-filter')[1]))
        .toEqual(['?q=crowd', '?q=crowd&perPage=30&p=3', '?q=crowd&perPage=30&p=4']);
      await page.sees('You’ve seen all 100.');
      expect(Sight.open.size).toBe(0);
    }));
});

test('a search without a match says which filter to drop, and how many that gives', async () => {
  const page = await openPage(site, await guest(), '/multi-filter?tag=music&region=asia');
  await page.sees('No one matches all of this.');
  await page.press('Without Tags: 1', { role: 'link' });
  await page.until(() => expect(page.path).toBe('/multi-filter?region=asia'));
  await page.idle();
  await showsTiles(page, ['stellabright']);
});

test('a failed search shows the server’s text, else the specification’s [C-363, C-364]', async () => {
  const visitor = await guest();
  const page = await openPage(site, visitor, '/search');
  // The request for suggestions, too.
  const mend = page.network.fails(/\/browse\/suggest/u);
  await types(page, 'bri');
  await page.sees('Error during loading search results', { in: await page.find('banner') });
  mend();
  await page.keys('{Escape}');
  page.network.goesDown(true);
  await page.fill('Names, tags or topics', 'bright');
  await page.press('Search', { role: 'button', in: await page.find('search', 'Search for performers') });
  await page.sees('Error during loading search results');
  page.network.goesDown(false);
  await page.press('Try again');
  await page.idle();
  await showsTiles(page, ['lunabright', 'stellabright', 'novabright']);
  // The limit is 120 per minute.
  let text = '';
  for (let at = 0; at < 121 && text === ''; at += 1) {
    text = await visitor.call(multiFilter, {}).then(() => '', (error: Error) => error.message);
  }
  expect(text).not.toBe('');
  await page.fill('Names, tags or topics', 'lunabright');
  await page.press('Search', { role: 'button', in: await page.find('search', 'Search for performers') });
  await page.sees(text, { in: await page.find('main') });
  expect(page.shows('Error during loading search results')).toBe(false);
  let refused = '';
  for (let at = 0; at < 2_000 && refused === ''; at += 1) {
    const answer = await visitor.request({ method: 'GET', url: '/api/v1/browse/suggest?q=bri' });
    if (answer.statusCode === 429) refused = answer.json<{ message: string }>().message;
  }
  expect(refused).not.toBe('');
  await types(page, 'stella');
  const banner = await page.find('banner');
  await page.sees(refused, { in: banner });
  expect(page.shows('Error during loading search results', { in: banner })).toBe(false);
});

test('who a viewer hides is in no suggestion, no result and no count', async () => {
  const viewer = await site.viewer();
  await viewer.call(hidePerformer, { username: luna.username });
  await site.settle();
  await site.services.browse.settled();
  const page = await openPage(site, viewer, '/multi-filter?tag=dance');
  await showsTiles(page, ['stellabright']);
  const filters = await page.find('complementary', 'Filters');
  await page.find('checkbox', 'dance 1', { in: filters });
  expect(page.all('checkbox', /^jazz/u, { in: filters })).toEqual([]);
  await types(page, 'bright');
  await page.find('listbox', 'Suggestions');
  expect(page.all('option', /lunabright/iu)).toEqual([]);
});

test('a member saves a search, finds it again and deletes it', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/search?q=bright');
  await page.fill('Name of this search', 'Bright ones');
  await page.press('Notify me when someone who matches goes live', { role: 'checkbox' });
  await page.press('Save search');
  await page.sees('Search saved.');
  await page.goto('/search');
  const saved = await page.find('region', 'Saved searches');
  await page.press(/^Bright ones/u, { role: 'link', in: saved });
  await page.until(() => expect(page.path).toBe('/multi-filter?q=bright'));
  await page.press('Delete “Bright ones”');
  await page.sees('Searches you save are listed here.');
});
