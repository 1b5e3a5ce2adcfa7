import { HOUR_MS } from '#platform/time/units.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteSearch, listSearches, saveSearch } from './contract/search.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const save = (who: Member, name: string, query = 'tag=jazz', notify = false) =>
  who.call(saveSearch, { name, query, notify });

it('members save 20 searches, replace one by its name, and delete their own alone', async () => {
  const [viewer, other] = [await site.viewer(), await site.viewer()];
  for (let at = 0; at < 20; at += 1) await save(viewer, `search ${at}`);
  expect((await viewer.refused(saveSearch, { name: 'one more', query: 'tag=jazz', notify: false })).errorType)
    .toBe('too_many_searches');
  const { searches } = await save(viewer, 'search 0', 'tag=dance', true);
  expect(searches).toHaveLength(20);
  expect(searches[0]).toMatchObject({ name: 'search 0', query: 'tag=dance', notify: true });
  expect((await viewer.refused(saveSearch, { name: 'empty', query: 'tag=&q=', notify: false })).errorType)
    .toBe('search_empty');
  expect((await other.call(listSearches, {})).searches).toEqual([]);
  const id = searches[0]?.id ?? 0;
  expect((await other.refused(deleteSearch, { id })).errorType).toBe('search_unknown');
  expect((await viewer.call(deleteSearch, { id })).searches).toHaveLength(19);
  const guest = await site.visitor({ ofAge: true });
  expect((await guest.refused(listSearches, {})).status).toBe(401);
});

it('who goes live is compared with searches that notify, unless hidden or not to be seen', async () => {
  const [hides, wants, silent, blocked] = [
    await site.viewer(),
    await site.viewer(),
    await site.viewer(),
    await site.viewer({ region: 'NL' }),
  ];
  const performer = await site.performer({ username: 'saved_star' });
  await performer.call(setDetails, { title: 'late show', tags: ['sitar'] });
  await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['NL']));
  await hides.call(hidePerformer, { username: performer.username });
  for (const one of [hides, wants, blocked]) await save(one, 'Sitar', 'tag=sitar', true);
  await save(wants, 'Other', 'tag=banjo', true);
  await save(silent, 'Sitar', 'tag=sitar');
  await performer.goesLive();
  const noticesOf = async (who: Member) => (await who.call(listNotices, {})).notices;
  const [notice, ...more] = await noticesOf(wants);
  expect(notice).toMatchObject({
    kind: 'browse:notices.searchMatched',
    link: '/saved_star',
    title: `${performer.person.displayName} matches “Sitar”`,
  });
  expect(more).toEqual([]);
  for (const one of [hides, silent, blocked]) expect(await noticesOf(one)).toEqual([]);
  // Once per search, performer and day.
  for (const [hours, count] of [[1, 1], [24, 2]] as const) {
    site.engine.drop(site.engine.streams.at(-1) ?? '', 'ended');
    await site.settle();
    await site.passes(hours * HOUR_MS);
    await performer.goesLive();
    expect(await noticesOf(wants)).toHaveLength(count);
  }
});
