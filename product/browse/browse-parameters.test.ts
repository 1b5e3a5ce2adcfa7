import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';

let site: TestSite;
let guest: Visitor;
beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
  const ada = await site.performer({ username: 'ada' });
  await site.passes(1_000);
  const ben = await site.performer({ username: 'ben', gender: 'm' });
  await ada.call(updateProfile, { languages: ['de'] });
  await ada.call(setDetails, { title: 'Hello', tags: ['dance'] });
  await ada.call(saveListingProfile, {
    region: 'europe',
    private_price: 12,
    control_rate: 30,
    voyeur_room: 'kitchen',
  });
  await ben.call(updateProfile, { languages: ['en'] });
  await ben.call(saveListingProfile, { region: 'asia', private_price: 60 });
  for (const one of [ada, ben]) await one.goesLive();
  await site.settle();
  await site.services.browse.settled();
  guest = await site.visitor({ ofAge: true });
});
afterAll(() => site.close());

interface Answer {
  readonly kind: string;
  readonly userList: readonly Readonly<Record<string, unknown>>[];
  readonly totalCount: number;
  readonly perPageCount: number;
}
async function answerOf(path: string): Promise<Answer> {
  const answer = await guest.request({ method: 'GET', url: `/api/v1/browse/react/${path}` });
  expect([path, answer.statusCode]).toEqual([path, 200]);
  return answer.json<Answer>();
}
const found = async (query: string): Promise<unknown> => {
  const { userList, totalCount, perPageCount } = await answerOf(`multi-filter${query}`);
  return [userList.map(({ username }) => username).join(' '), totalCount, perPageCount];
};

it('the advanced search accepts nine values, and each changes the answer [C-212, C-254]', async () => {
  expect(await found('?newSort=newest')).toEqual(['ben ada', 2, 60]);
  expect(await found('?newSort=cheapest')).toEqual(['ada ben', 2, 60]);
  expect(await found('?lang=de')).toEqual(['ada', 1, 60]);
  expect(await found('?source=men')).toEqual(['ben', 1, 60]);
  expect(await found('?tag=dance')).toEqual(['ada', 1, 60]);
  expect(await found('?rate=19-60')).toEqual(['ben', 1, 60]);
  expect(await found('?region=europe')).toEqual(['ada', 1, 60]);
  expect(await found('?chRate=19-60')).toEqual(['ada', 1, 60]);
  expect(await found('?newSort=newest&perPage=1')).toEqual(['ben', 2, 1]);
  expect(await found('?newSort=newest&perPage=1&p=2')).toEqual(['ada', 2, 1]);
});

it('a search is a listing of its own kind', async () => {
  const [search, home] = [await answerOf('multi-filter'), await answerOf('')];
  expect([search.kind, home.kind]).toEqual(['search', 'home']);
});

it('each entry of a listing has a username and a list of flags [C-088]', async () => {
  const { userList } = await answerOf('?gender-hide=c');
  const entries = userList.map(({ username, flagList }) => ({ username, flagList }));
  expect(entries.toSorted((a, b) => String(a.username).localeCompare(String(b.username)))).toEqual([
    { username: 'ada', flagList: ['new', 'voyeur', 'control'] },
    { username: 'ben', flagList: ['new'] },
  ]);
  for (const path of ['girls', 'v2/girls', 'multi-filter?q=ada']) {
    const [entry] = (await answerOf(path)).userList;
    expect(entry, path).toMatchObject({ username: 'ada', flagList: ['new', 'voyeur', 'control'] });
  }
});
