import { openPage } from '#product/testkit/pages/open-page.tsx';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { moreRecorded } from '#product/testkit/store/recorded-shows.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

async function recorded(gender: 'f' | 'c' | 'm' | 't', buyer: Member): Promise<Member> {
  const performer = await ticketPerformer(site, { gender });
  const { stream } = await runsRecorded(site, performer, buyer);
  await sellsRecordings(performer, buyer);
  await endsRecorded(site, performer, stream);
  return performer;
}

test(
  'each section has its list of Ticket Show Recordings, which leads to the room or the video [B-047]',
  async () => {
    const [buyer, other] = [await site.viewer({ tokens: 5_000 }), await site.viewer()];
    const sections = { f: 'girls', c: 'couples', m: 'men', t: 'trans' } as const;
    const names: Record<string, string> = {};
    for (const gender of ['f', 'c', 'm', 't'] as const) {
      names[gender] = (await recorded(gender, buyer)).person.displayName;
    }
    for (const gender of ['f', 'c', 'm', 't'] as const) {
      const page = await openPage(site, other, `/${sections[gender]}/private-shows/ticket-cam-shows`);
      await page.find('heading', 'Ticket Show Recordings');
      const list = await page.find('list', 'Ticket Show Recordings');
      await page.until(() => expect(page.all('listitem', undefined as never, { in: list })).toHaveLength(1));
      await page.sees(names[gender] ?? '', { in: list });
      await page.sees('5:00', { in: list });
      await page.sees('50 tokens', { in: list });
      await page.find('link', 'Go to the room', { in: list });
      expect(page.all('link', 'Watch recording')).toEqual([]);
      if (gender === 'f') expect(await page.problems()).toEqual([]);
    }
    const own = await openPage(site, buyer, '/girls');
    await own.press('Ticket Show Recordings', { role: 'link' });
    const list = await own.find('list', 'Ticket Show Recordings');
    await own.press('Watch recording', { role: 'link', in: list });
    await own.find('heading', `Recording of ${names['f']}’s ticket show`);
  },
);

test(
  'a section whose first page is all of others says nothing of none, but leads to what is further down',
  async () => {
    const [buyer, other] = [await site.viewer({ tokens: 5_000 }), await site.viewer()];
    const { displayName } = (await recorded('t', buyer)).person;
    const man = await ticketPerformer(site, { gender: 'm' });
    const { show, stream } = await runsRecorded(site, man, buyer);
    await endsRecorded(site, man, stream);
    await moreRecorded(site, show, 1_000);
    const page = await openPage(site, other, '/trans/private-shows/ticket-cam-shows');
    await page.find('button', 'Show more');
    expect(page.shows('No recorded ticket shows yet.')).toBe(false);
    expect(page.all('list', 'Ticket Show Recordings')).toEqual([]);
    await page.press('Show more');
    await page.sees(displayName, { in: await page.find('list', 'Ticket Show Recordings') });
  },
);

test('a list of recordings that fails without a text shows that of the specification [C-362]', async () => {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls');
  const mend = page.network.fails(/user\/model_shows/u);
  await page.press('Ticket Show Recordings', { role: 'link' });
  const part = await page.find('region', 'Ticket Show Recordings');
  await page.sees('Error during loading search results', { in: part });
  mend();
  await page.press('Try again', { in: part });
  await page.until(() => expect(page.shows('Error during loading search results')).toBe(false));
});
