import { setDetails } from '#product/broadcast/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
const live = new Map<string, Member>();
beforeAll(async () => {
  site = await createSite();
  for (const tag of ['games', 'esports', 'wifeaway', 'irishcurse', 'dickometrics']) {
    const performer = await site.performer({ username: `with-${tag}` });
    await performer.call(setDetails, { title: 'Hello', tags: [tag] });
    await performer.goesLive();
    live.set(tag, performer);
  }
});
afterAll(() => site.close());

/** Opens a page and checks its text, and that it shows exactly the live performers with its tag. */
async function shows(slug: string, title: string, lead: RegExp): Promise<void> {
  const page = await openPage(site, await site.visitor({ ofAge: true }), `/${slug}`);
  await page.find('heading', title);
  await page.sees(lead);
  const rooms = await page.find('region', 'Rooms');
  const links = page.all('link', undefined, { in: rooms }).map((link) => link.getAttribute('href'));
  expect(links).toEqual([`/${live.get(slug)?.username}`]);
  expect(await page.problems()).toEqual([]);
}

test('/games and /esports show where games are played [A-125] [A-137]', async () => {
  await shows('games', 'Games', /^Rooms where games are played right now\./u);
  await shows('esports', 'Esports', /^Live with the tag “esports”\./u);
});

test('/wifeaway and /irishcurse show who takes part [A-144] [A-145]', async () => {
  await shows('wifeaway', 'Wife Away', /^Live with the tag “wifeaway”\./u);
  await shows('irishcurse', 'Irish Curse', /^Live with the tag “irishcurse”\./u);
});

test('/dickometrics shows who takes part [A-146]', async () => {
  await shows('dickometrics', 'Dickometrics', /^Live with the tag “dickometrics”\./u);
});

test.each(['games', 'esports', 'wifeaway', 'irishcurse', 'dickometrics'])(
  'rooms of /%s that fail without a text show that of the specification [C-362]',
  async (slug) => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/tags');
    await page.find('heading', undefined, { level: 1 });
    const mend = page.network.fails(new RegExp(`browse/react/${slug}`, 'u'));
    page.follows(`/${slug}`);
    const main = await page.find('main');
    await page.sees('Error during loading search results', { in: main });
    mend();
    await page.press('Try again', { in: main });
    await page.find('region', 'Rooms');
  },
);

test('experiments are disclosed: what runs, what one sees, and the group of the account', async () => {
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/experiments');
  await page.find('heading', 'Experiments');
  await page.find('heading', 'Words that invite to like a performer');
  await page.sees(/^You see variant [ABCD] of 4\.$/u);
  await page.sees(/^Your account is in group (D|C|B|A[1-7])\.$/u);
  expect(await page.problems()).toEqual([]);
  const guest = await openPage(site, await site.visitor({ ofAge: true }), '/experiments');
  await guest.sees('Only accounts are in a group.');
});
