import type { GenderCode } from '#product/accounts/rules.ts';
import { endBroadcast, setDetails } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tagIndex, tagsOfGender, type TagsDataView } from './contract/tags.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

async function liveWith(gender: GenderCode, ...tags: readonly string[]): Promise<Member> {
  const performer = await site.performer({ gender });
  await performer.call(setDetails, { title: 'Hello', tags: [...tags] });
  await performer.goesLive();
  return performer;
}
async function leaves(...performers: readonly Member[]): Promise<void> {
  for (const performer of performers) await performer.call(endBroadcast, {});
  await site.settle();
}
const counts = ({ tag_list: tags }: TagsDataView): Record<string, number> =>
  Object.fromEntries(tags.map(({ tag, count }) => [tag, count]));

describe('tags/index', () => {
  it('answers pairs, tags and how many tags there are, sorted as wanted [C-095] [C-281]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const [first, second, man] = [
      await liveWith('f', 'yoga', 'dance'),
      await liveWith('f', 'dance', 'yoga', 'Board games'),
      await liveWith('m', 'dance', 'aikido'),
    ];
    const viewer = await site.viewer();
    const socket = await viewer.joins(man);
    await site.settle();
    const popular = await guest.call(tagIndex, {});
    expect(popular.tag_list).toEqual([
      { tag: 'dance', name: 'dance', count: 3, viewers: 1, path: '/girls/tag/dance' },
      { tag: 'yoga', name: 'yoga', count: 2, viewers: 0, path: '/girls/tag/yoga' },
      { tag: 'aikido', name: 'aikido', count: 1, viewers: 1, path: '/men/tag/aikido' },
      { tag: 'board-games', name: 'board games', count: 1, viewers: 0, path: '/girls/tag/board-games' },
    ]);
    expect(popular).toMatchObject({ tag_count: 4, page: 1, perPageCount: 100, sort: 'popular' });
    expect(popular.combo).toEqual([
      { tagList: ['dance', 'yoga'], name: 'dance + yoga', count: 2, path: '/girls/tag/dance/yoga' },
    ]);
    const order = async (sort: 'name' | 'viewers'): Promise<string[]> =>
      (await guest.call(tagIndex, { sort })).tag_list.map(({ tag }) => tag);
    expect(await order('name')).toEqual(['aikido', 'board-games', 'dance', 'yoga']);
    expect(await order('viewers')).toEqual(['dance', 'aikido', 'yoga', 'board-games']);
    expect((await guest.request({ method: 'GET', url: '/api/v1/tags/index?sort=age' })).statusCode).toBe(422);
    await socket.leaves();
    await leaves(first, second, man);
    expect(await guest.call(tagIndex, {})).toMatchObject({ combo: [], tag_list: [], tag_count: 0 });
  });

  it('has pages of a hundred [C-281]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const performers: Member[] = [];
    for (let more = 0; more < 21; more += 1) {
      performers.push(await liveWith('c', ...Array.from({ length: 5 }, (_, at) => `tag-${more * 5 + at}`)));
    }
    const page = (number: number): Promise<TagsDataView> => guest.call(tagIndex, { page: number });
    const [first, second, third] = [await page(1), await page(2), await page(3)];
    expect([first, second, third].map(({ tag_list: tags }) => tags.length)).toEqual([100, 5, 0]);
    expect(first.tag_count).toBe(105);
    const all = [...first.tag_list, ...second.tag_list].map(({ tag }) => tag);
    expect(new Set(all).size).toBe(105);
    const answer = await guest.request({ method: 'GET', url: '/api/v1/tags/index?page=2&sort=name' });
    expect([answer.statusCode, answer.json<TagsDataView>()]).toMatchObject([200, {
      tag_list: ['tag-95', 'tag-96', 'tag-97', 'tag-98', 'tag-99'].map((tag) => ({ tag })),
      tag_count: 105,
      page: 2,
      sort: 'name',
      combo: expect.any(Array) as unknown,
    }]);
    await leaves(...performers);
  });

  it('counts nobody whom a viewer may not perceive, or hides', async () => {
    const viewer = await site.viewer();
    const guest = await site.visitor({ ofAge: true });
    const [suspended, hidden, blocked] = [
      await liveWith('f', 'secret', 'tea'),
      await liveWith('f', 'hush', 'tea'),
      await liveWith('f', 'lisbon', 'tea'),
    ];
    const { accounts, compliance } = site.services;
    expect(counts(await guest.call(tagIndex, {}))).toEqual({ tea: 3, secret: 1, hush: 1, lisbon: 1 });
    await viewer.call(hidePerformer, { username: hidden.username });
    expect(counts(await viewer.call(tagIndex, {}))).toEqual({ tea: 2, secret: 1, lisbon: 1 });
    await site.tx((tx) => compliance.blockRegions(tx, blocked.id, ['BR']));
    await site.settle();
    const brazilian = await site.visitor({ region: 'BR', ofAge: true });
    expect(counts(await brazilian.call(tagIndex, {}))).not.toHaveProperty('lisbon');
    await site.tx((tx) =>
      accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    expect(counts(await viewer.call(tagIndex, {}))).toEqual({ tea: 1, lisbon: 1 });
    expect(counts(await viewer.call(tagsOfGender, { gender: 'girls' }))).toEqual({ tea: 1, lisbon: 1 });
    const before: Visitor = await site.visitor();
    expect(await before.call(tagIndex, {})).toMatchObject({ tag_list: [], tag_count: 0, combo: [] });
    await leaves(hidden, blocked);
  });
});

describe('tags/{gender}', () => {
  it('answers the tags of that gender alone [C-282]', async () => {
    const guest = await site.visitor({ ofAge: true });
    const performers = [
      await liveWith('f', 'tea', 'one'),
      await liveWith('c', 'tea', 'two'),
      await liveWith('m', 'tea', 'three'),
      await liveWith('t', 'tea', 'four'),
    ];
    const of = async (gender: string): Promise<Record<string, number>> =>
      counts(await guest.call(tagsOfGender, { gender }));
    expect(await of('girls')).toEqual({ tea: 1, one: 1 });
    expect(await of('couples')).toEqual({ tea: 1, two: 1 });
    expect(await of('men')).toEqual({ tea: 1, three: 1 });
    expect(await of('trans')).toEqual({ tea: 1, four: 1 });
    const answer = await guest.request({ method: 'GET', url: '/api/v1/tags/girls' });
    expect([answer.statusCode, counts(answer.json<TagsDataView>())]).toEqual([200, { tea: 1, one: 1 }]);
    const { tag_list: tags } = await guest.call(tagsOfGender, { gender: 'trans', sort: 'name' });
    expect(tags.map(({ path }) => path)).toEqual(['/trans/tag/four', '/trans/tag/tea']);
    expect(await guest.refused(tagsOfGender, { gender: 'robots' }))
      .toMatchObject({ status: 404, errorType: 'tag_list_unknown' });
    await leaves(...performers);
  });
});
