import { setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let asian: Member;
let african: Member;
beforeAll(async () => {
  site = await createSite();
  asian = await site.performer({ username: 'mina_asia', live: true });
  await asian.call(saveListingProfile, { region: 'asia', private_price: 30, age_range: '50+' });
  await asian.call(setDetails, { title: 'Good evening', tags: ['yoga'] });
  african = await site.performer({ username: 'zola_africa', live: true });
  await african.call(saveListingProfile, { region: 'africa', private_price: 12, voyeur_room: 'bedroom' });
  await site.settle();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const tilesOn = (page: Page): readonly string[] =>
  page.all('article').map((element) => element.querySelector('a')?.getAttribute('href') ?? '');
const has = (page: Page, ...names: string[]): Promise<void> =>
  page.until(() => expect([...tilesOn(page)].sort()).toEqual(names.map((name) => `/${name}`).sort()));
const guest = () => site.visitor({ ofAge: true });

test('filters stand in the address, survive going back, and are cleared at once', async () => {
  const page = await openPage(site, await guest(), '/girls');
  await has(page, 'mina_asia', 'zola_africa');
  await page.press('Region');
  await page.press('Asia', { role: 'menuitemradio' });
  await has(page, 'mina_asia');
  expect(page.path).toBe('/girls?region=asia');
  await page.press('Private price');
  await page.press('Up to 12 tokens a minute', { role: 'menuitemradio' });
  await page.sees('No one who is live matches these filters.');
  expect(page.path).toBe('/girls?region=asia&rate=1-12');
  await page.back();
  await has(page, 'mina_asia');
  await page.find('button', 'Region: Asia');
  await page.press('Clear filters', { role: 'link' });
  await has(page, 'mina_asia', 'zola_africa');
  expect(page.path).toBe('/girls');
  // A shared link with one valid value; nobody offers the others.
  await page.goto('/girls?age=50%2B,12&region=mars&rate=much&sort=best&p=x');
  await has(page, 'mina_asia');
  expect(await page.problems()).toEqual([]);
});

test('the order is chosen, and random has its seed in the address', async () => {
  const page = await openPage(site, await guest(), '/girls');
  await page.press('Order');
  await page.press('Lowest price', { role: 'menuitemradio' });
  await page.until(() => expect(tilesOn(page)).toEqual(['/zola_africa', '/mina_asia']));
  expect(page.path).toBe('/girls?sort=cheapest');
  await page.press('Order: Lowest price');
  await page.press('Random', { role: 'menuitemradio' });
  await page.until(() => expect(page.path).toMatch(/^\/girls\?sort=random&seed=\d+$/u));
});

test('a tile says what one needs to choose, and its keys lead from tile to tile', async () => {
  const page = await openPage(site, await guest(), '/girls?sort=cheapest');
  await has(page, 'mina_asia', 'zola_africa');
  const mina = await page.find('link', /mina_asia/u);
  for (const text of ['Live', 'New', 'Good evening', '#yoga', '30 tokens per minute', 'Viewers: 0']) {
    expect(mina.textContent).toContain(text);
  }
  const zola = await page.find('link', /zola_africa/u);
  expect(zola.textContent).toContain('Voyeur');
  zola.focus();
  await page.keys('{ArrowRight}');
  expect(page.focused).toBe(mina);
  await page.tab();
  expect(page.focused?.getAttribute('aria-label')).toBe('More about mina_asia');
  await page.tab({ shift: true });
  await page.keys('{Home}');
  expect(page.focused).toBe(zola);
});

test('a tile says why it is here, follows, and hides for good', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/girls');
  await has(page, 'mina_asia', 'zola_africa');
  await page.press('More about mina_asia');
  const panel = await page.find('dialog', 'mina_asia');
  await page.click(await page.sees('Why here?', { in: panel }));
  await page.sees('New on the site', { in: panel });
  expect((await page.find('link', 'Profile', { in: panel })).getAttribute('href')).toBe('/mina_asia/bio');
  await page.press('Follow', { in: panel });
  await page.find('button', 'Unfollow', { in: panel });
  await page.press('Hide from listings', { in: panel });
  await has(page, 'zola_africa');
  await page.goto('/top');
  await has(page, 'zola_africa');
  await page.goto('/followed');
  await page.sees('Performers you follow will be here.');
});

test('a guest who follows from a tile is asked to log in', async () => {
  const page = await openPage(site, await guest(), '/girls');
  await page.press('More about zola_africa');
  await page.press('Follow', { in: await page.find('dialog', 'zola_africa') });
  await page.find('dialog', 'Log in');
});

test('a listing that fails without a text shows that of the specification [C-362]', async () => {
  const page = await openPage(site, await guest(), '/girls');
  await has(page, 'mina_asia', 'zola_africa');
  page.network.goesDown(true);
  await page.press('Couples', { role: 'link', in: await page.find('banner') });
  const alert = await page.find('alert', undefined, { in: await page.find('main') });
  await page.sees('Error during loading search results', { in: alert });
  page.network.goesDown(false);
  await page.press('Try again', { in: alert });
  await page.sees('No one is live here right now.');
});

test('a listing that is refused shows the text of the server [C-361]', async () => {
  const visitor = await guest();
  const page = await openPage(site, visitor, '/girls');
  await has(page, 'mina_asia', 'zola_africa');
  // A browser may make only so many calls per minute.
  for (let calls = 0; calls < 2_000; calls += 1) {
    const { statusCode } = await visitor.request({ method: 'GET', url: '/api/v1/browse/react/girls' });
    if (statusCode === 429) break;
  }
  const { message } = (await visitor.request({ method: 'GET', url: '/api/v1/browse/react/men' }))
    .json<{ message: string }>();
  expect(message).not.toBe('');
  await page.press('Men', { role: 'link', in: await page.find('banner') });
  const alert = await page.find('alert', undefined, { in: await page.find('main') });
  expect(alert.textContent).toContain(message);
  expect(alert.textContent).not.toContain('Error during loading');
});

test.each([
  ['a tag', '/girls/tag/yoga', '/api/v1/browse/react/v2/girls/tag/yoga'],
  ['the home page by sections', '/', '/api/v1/browse/react/home/section'],
  ['a page of one tag', '/games', '/api/v1/browse/react/games'],
])('%s that is refused shows the text of the server, from %s, %s [C-361]', async (_what, path, url) => {
  const visitor = await guest();
  visitor.setCookie('home_layout', 'section');
  const page = await openPage(site, visitor, '/tags');
  let message = '';
  // A browser may make only so many calls per minute.
  for (let calls = 0; calls < 2_000 && message === ''; calls += 1) {
    const answer = await visitor.request({ method: 'GET', url });
    if (answer.statusCode === 429) ({ message } = answer.json<{ message: string }>());
  }
  expect(message).not.toBe('');
  if (path === '/games') page.follows(path);
  else if (path === '/') await page.press(/Home$/u, { role: 'link', in: await page.find('banner') });
  else await page.press(/^yoga/u, { role: 'link', in: await page.find('main') });
  await page.until(() => expect(page.path).toBe(path));
  const alert = await page.find('alert', undefined, { in: await page.find('main') });
  expect(alert.textContent).toContain(message);
});

test('home, too, where its part above the listing is refused [C-361]', async () => {
  const visitor = await guest();
  const page = await openPage(site, visitor, '/tags');
  let message = '';
  for (let calls = 0; calls < 2_000 && message === ''; calls += 1) {
    const answer = await visitor.request({ method: 'GET', url: '/api/v1/browse/react/home' });
    if (answer.statusCode === 429) ({ message } = answer.json<{ message: string }>());
  }
  expect(message).not.toBe('');
  await page.press(/Home$/u, { role: 'link', in: await page.find('banner') });
  const main = await page.find('main');
  await page.until(() =>
    expect(
      page.all('alert', undefined, { in: main })
        .filter(({ textContent }) => textContent.includes(message)),
    ).not.toHaveLength(0)
  );
  await page.idle();
  expect(page.shows('Error during loading search results')).toBe(false);
});

test('home by sections that fails without a text shows that of the specification [C-362]', async () => {
  const visitor = await guest();
  visitor.setCookie('home_layout', 'section');
  const page = await openPage(site, visitor, '/tags');
  page.network.fails(/\/browse\/react\/home\/section/u);
  await page.press(/Home$/u, { role: 'link', in: await page.find('banner') });
  await page.sees('Error during loading search results', { in: await page.find('main') });
  // The home page by sections shows the error: the one with everybody's listing would have filters.
  expect(page.all('group', 'Filters')).toEqual([]);
});

test('home, too, where its part above the listing fails [C-362]', async () => {
  const page = await openPage(site, await guest(), '/tags');
  page.network.fails(/\/browse\/react\/home(?:\?|$)/u);
  await page.press(/Home$/u, { role: 'link', in: await page.find('banner') });
  await page.sees('Error during loading search results', { in: await page.find('main') });
  await page.find('group', 'Filters');
});

test('a click on a thumbnail is counted where its address is one of those that are', async () => {
  const page = await openPage(site, await guest(), '/girls');
  await has(page, 'mina_asia', 'zola_africa');
  const clicks = async (src: string): Promise<readonly string[]> => {
    await page.goto('/girls');
    await has(page, 'mina_asia', 'zola_africa');
    const tile = await page.find('link', /mina_asia/u);
    const image = tile.querySelector('img') ?? tile.appendChild(document.createElement('img'));
    image.setAttribute('src', src);
    await page.click(tile);
    await page.until(() => expect(page.path).toBe('/mina_asia'));
    await page.idle();
    return page.network.sent.filter((sent) => sent.includes('/thumb-tracker/'));
  };
  expect(await clicks('/portraits/mina_asia?v=3')).toEqual([]);
  expect(await clicks('/thumbs/t/mina_asia/7.jpg?v=3')).toEqual([
    'POST /api/v1/thumb-tracker/click {"thumbUrl":"/thumbs/t/mina_asia/7"}',
  ]);
  expect(await clicks('/thumbs-picked/mina_asia/7.webp')).toEqual([
    'POST /api/v1/thumb-tracker/click {"thumbUrl":"/thumbs-picked/mina_asia/7"}',
  ]);
});
