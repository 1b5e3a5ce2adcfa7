import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  for (const [gender, tags] of [
    ['f', ['dance', 'yoga']],
    ['f', ['yoga']],
    ['m', ['aikido']],
    ['c', ['tango']],
    ['t', ['karaoke']],
  ] as const) {
    const performer = await site.performer({ gender });
    await performer.call(setDetails, { title: 'Hello', tags: [...tags] });
    await performer.goesLive();
  }
});
afterAll(() => site.close());

test('the tags area lists tags, and each leads to its listing [C-008] [C-062]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const foot = await page.find('navigation', 'More of this site');
  await page.press('All tags', { role: 'link', in: foot });
  await page.until(() => expect(page.path).toBe('/tags'));
  const main = await page.find('main');
  await page.find('heading', 'Tags', { in: main });
  const list = await page.find('list', 'Tags', { in: main });
  expect(page.all('link', undefined, { in: list }).map(({ textContent }) => textContent))
    .toEqual(['yoga2 live', 'aikido1 live', 'dance1 live', 'karaoke1 live', 'tango1 live']);
  await page.sees('5 tags');
  expect(await page.problems()).toEqual([]);
  await page.press(/^yoga/u, { role: 'link', in: list });
  await page.until(() => expect(page.path).toBe('/girls/tag/yoga'));
});

test('tags are sorted as somebody chooses [C-063]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/tags');
  const main = await page.find('main');
  const names = () => page.all('link', /\d live$/u, { in: main }).map(({ textContent }) => textContent);
  const others = ['aikido1 live', 'dance1 live', 'karaoke1 live', 'tango1 live'];
  expect(names()).toEqual(['yoga2 live', ...others]);
  const sorts = await page.find('navigation', 'Sort by');
  expect((await page.find('link', 'Performers', { in: sorts })).getAttribute('aria-current')).toBe('true');
  await page.press('Name', { role: 'link', in: sorts });
  await page.until(() => expect(names()).toEqual([...others, 'yoga2 live']));
  expect(page.path).toBe('/tags?sort=name');
});

test('each gender has a tag list, whose tags lead to its listings [C-064]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/tags');
  for (const [name, slug, heading, tags] of [
    ['Girls', 'girls', 'Tags of girls', ['yoga', 'dance']],
    ['Couples', 'couples', 'Tags of couples', ['tango']],
    ['Men', 'men', 'Tags of men', ['aikido']],
    ['Trans', 'trans', 'Tags of trans performers', ['karaoke']],
  ] as const) {
    await page.press(name, { role: 'link', in: await page.find('navigation', 'Tag lists') });
    await page.find('heading', heading);
    expect(page.path).toBe(`/tags/${slug}`);
    const links = page.all('link', undefined, { in: await page.find('list', 'Tags') });
    expect(links.map((link) => link.getAttribute('href'))).toEqual(tags.map((tag) => `/${slug}/tag/${tag}`));
  }
  const [trans] = await site.tx((tx) => site.services.accounts.listPerformers(tx, 0, 10))
    .then((all) => all.filter(({ gender }) => gender === 't'));
  await (await site.memberOf(trans?.username ?? '')).call(endBroadcast, {});
  await site.settle();
  await page.goto('/tags/trans');
  await page.sees(/Tags appear here/u);
});

test('an address without a tag list shows which lists there are [C-366]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/tags/robots');
  await page.find('heading', 'Tag list not found');
  const lists = await page.find('navigation', 'Tag lists');
  expect(page.all('link', undefined, { in: lists }).map((link) => link.getAttribute('href')))
    .toEqual(['/tags', '/tags/girls', '/tags/couples', '/tags/men', '/tags/trans']);
  expect(await page.problems()).toEqual([]);
  await page.press('Girls', { role: 'link', in: lists });
  await page.find('heading', 'Tags of girls');
  await page.find('link', /^yoga/u);
});
