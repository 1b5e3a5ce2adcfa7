import type { OutputOf } from '#platform/contract/call.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { deleteRecording, listRecordings } from '#product/recordings/contract.ts';
import { getShowRecording } from '#product/shows/contract/show-recording.ts';
import {
  endsRecorded,
  offersTickets,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { moreRecorded } from '#product/testkit/store/recorded-shows.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browseLive, getModelShows } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

async function recorded(performer: Member, buyer: Member): Promise<number> {
  const { show, stream } = await runsRecorded(site, performer, buyer);
  await sellsRecordings(performer, buyer);
  await endsRecorded(site, performer, stream);
  return show;
}
const idsFor = async (who: Visitor, gender?: 'f' | 'm') =>
  (await who.call(getModelShows, { type: 'react', ...(gender ? { gender } : {}) })).shows.map(({ id }) => id);

it('is linked from the sections that have a ticket show or its recording, and no other', async () => {
  const guest = await site.visitor({ ofAge: true });
  const blocked = await site.visitor({ ofAge: true, region: 'BR' });
  /** The sections that lead to performers' ticket shows and recordings. */
  const linked = async (who: Visitor): Promise<string[]> => {
    // A recording and its end become known within half a minute.
    await site.passes(30_000);
    const pages = await Promise.all(['girls', 'men', 'trans', 'couples'].map(async (path) => {
      const { exploreList = [] } = await who.call(browseLive, { path });
      return exploreList.filter((to) => to.endsWith('/ticket-cam-shows'));
    }));
    return pages.flat();
  };
  expect(await linked(guest)).toEqual([]);
  const man = await ticketPerformer(site, { gender: 'm' });
  await site.tx((tx) => site.services.compliance.blockRegions(tx, man.id, ['BR']));
  await site.settle();
  const buyer = await site.viewer({ tokens: 500 });
  const { stream } = await runsRecorded(site, man, buyer);
  await sellsRecordings(man, buyer);
  // The show runs, and nothing of it is recorded yet.
  expect(await linked(guest)).toEqual(['/men/private-shows/ticket-cam-shows']);
  await endsRecorded(site, man, stream);
  expect([await linked(guest), await linked(blocked)]).toEqual([['/men/private-shows/ticket-cam-shows'], []]);
  const [recording] = (await man.call(listRecordings, {})).recordings;
  await man.call(deleteRecording, { id: recording?.id ?? 0 });
  await site.settle();
  expect(await linked(guest)).toEqual([]);
});

it('lists recorded shows by gender, of whom the viewer perceives alone [C-253]', async () => {
  const [woman, man] = [
    await ticketPerformer(site, { gender: 'f' }),
    await ticketPerformer(site, { gender: 'm' }),
  ];
  const buyer = await site.viewer({ tokens: 5_000 });
  const guest = await site.visitor({ ofAge: true });
  expect(await guest.call(getModelShows, { type: 'react' })).toEqual({ shows: [], next: null });
  const first = await recorded(woman, buyer);
  const second = await recorded(man, buyer);
  expect(await guest.refused(getModelShows, { type: 'other' }))
    .toMatchObject({ status: 422, errorType: 'invalid_input' });
  expect(await idsFor(guest)).toEqual([second, first]);
  const raw = await guest.request({ url: '/api/v1/user/model_shows?type=react&gender=m' });
  expect(raw.json<OutputOf<typeof getModelShows>>().shows.map(({ id }) => id)).toEqual([second]);
  expect([await idsFor(guest, 'f'), await idsFor(guest, 'm')]).toEqual([[first], [second]]);
  const own = {
    id: first,
    limited_message: 'Fire and feathers',
    seconds: 300,
    recording_price: 50,
    performer: {
      username: woman.username,
      displayName: woman.person.displayName,
      gender: 'f',
      status: 'online',
      hasTicketShow: false,
    },
  };
  const shown = async (who: Visitor) =>
    (await who.call(getModelShows, { type: 'react', gender: 'f' })).shows[0];
  expect(await shown(guest)).toMatchObject({ ...own, may_watch: false });
  expect(await shown(buyer)).toMatchObject({ ...own, may_watch: true });
  expect(await shown(woman)).toMatchObject({ ...own, may_watch: true });
  expect(await shown(man)).toMatchObject({ ...own, may_watch: false });
  // The list agrees with the recording's own access check.
  expect((await man.refused(getShowRecording, { show: first })).status).toBe(404);
  await offersTickets(woman);
  await site.settle();
  expect((await shown(guest))?.performer.hasTicketShow).toBe(true);
  // Before the entry gate, when hidden, or from a blocked region, nothing reveals the performer.
  expect(await idsFor(await site.visitor())).toEqual([]);
  const hider = await site.viewer();
  await hider.call(hidePerformer, { username: woman.username });
  expect(await idsFor(hider)).toEqual([second]);
  await site.tx((tx) => site.services.compliance.blockRegions(tx, woman.id, ['BR']));
  await site.settle();
  expect(await idsFor(await site.visitor({ ofAge: true, region: 'BR' }))).toEqual([second]);
  // An unknown region has the strictest gate, so nobody is perceived.
  expect(await idsFor(await site.visitor({ region: 'unknown' }))).toEqual([]);
  expect(await idsFor(guest)).toEqual([second, first]);
  await site.tx((tx) =>
    site.services.accounts.suspend(tx, man.id, {
      suspended: true,
      actorId: null,
      reason: 'a test',
    })
  );
  await site.settle();
  expect(await idsFor(guest)).toEqual([first]);
  const [recording] = (await woman.call(listRecordings, {})).recordings;
  await woman.call(deleteRecording, { id: recording?.id ?? 0 });
  await site.settle();
  expect(await idsFor(buyer)).toEqual([]);
});

it('lists them in pages of 24, each once, however many are hidden between [C-253]', async () => {
  const [seen, unseen] = [
    await ticketPerformer(site, { gender: 't' }),
    await ticketPerformer(site, { gender: 't' }),
  ];
  const buyer = await site.viewer({ tokens: 500 });
  const [first, hidden] = [await recorded(seen, buyer), await recorded(unseen, buyer)];
  await moreRecorded(site, first, 27);
  await moreRecorded(site, hidden, 120);
  await moreRecorded(site, first, 10);
  const hider = await site.viewer();
  await hider.call(hidePerformer, { username: unseen.username });
  const pages: number[][] = [];
  let before: number | null = null;
  do {
    const { shows, next }: OutputOf<typeof getModelShows> = await hider.call(getModelShows, {
      type: 'react' as const,
      gender: 't' as const,
      ...(before === null ? {} : { before }),
    });
    pages.push(shows.map(({ id }) => id));
    before = next;
  } while (before !== null);
  expect(pages.map((page) => page.length)).toEqual([24, 14]);
  const ids = pages.flat();
  expect(ids).toEqual([...new Set(ids)].toSorted((number, other) => other - number));
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
