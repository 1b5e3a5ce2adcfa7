import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast, getOwnBroadcast } from './contract.ts';
import { hlsPlaylist, hlsSegment } from './contract/hls.ts';
import { whep, whepEnd } from './contract/webrtc.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Over WHEP, in the size that `sd` means. */
const playsLow = async (who: Visitor, performer: Member) =>
  media(who, whep, { ...(await playbackOf(who, performer)), track: 'sd', body: TEST_OFFER });
const playsFull = async (who: Visitor, performer: Member) => {
  const { stream, token } = await playbackOf(who, performer);
  return plays(who, stream, token);
};
async function fetchesPlaylist(who: Visitor, performer: Member): Promise<number> {
  const of = await playbackOf(who, performer);
  return (await media(who, hlsPlaylist, { ...of, rendition: 'source' })).status;
}
async function fetchesSegment(who: Visitor, performer: Member): Promise<number> {
  const of = await playbackOf(who, performer);
  return (await media(who, hlsSegment, { ...of, rendition: 'source', file: '0.m4s' })).status;
}

/** The viewers that the console shows after the next second of media. */
async function viewersOf(performer: Member): Promise<number | undefined> {
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  site.engine.measureAll(stream ?? '');
  await site.settle();
  return (await performer.call(getOwnBroadcast, {})).health?.viewers;
}

async function storedPeakOf({ id }: Member): Promise<unknown> {
  const { rows } = await site.tx((tx) =>
    sql<{ peak_viewers: number }>`select peak_viewers
    from broadcast.broadcasts where performer_id = ${id}`.execute(tx.sql())
  );
  return rows.map(({ peak_viewers: peak }) => peak);
}

describe('the viewers of a broadcast', () => {
  it('are those over WHEP in any size and those over HLS, and not the performer', async () => {
    const performer = await site.performer({ live: true });
    const [one, two, three] = [await site.viewer(), await site.viewer(), await site.viewer()];
    expect(await viewersOf(performer)).toBe(0);
    await playsFull(performer, performer);
    expect(await fetchesPlaylist(performer, performer)).toBe(200);
    expect(await viewersOf(performer)).toBe(0);
    const full = await playsFull(one, performer);
    const low = await playsLow(two, performer);
    expect([full.status, low.status]).toEqual([201, 201]);
    expect(await viewersOf(performer)).toBe(2);
    expect([await fetchesPlaylist(three, performer), await fetchesSegment(three, performer)])
      .toEqual([200, 200]);
    expect(await viewersOf(performer)).toBe(3);
    await media(one, whepEnd, { session: full.session });
    expect(await viewersOf(performer)).toBe(2);
    await media(two, whepEnd, { session: low.session });
    site.clock.advance(15_000);
    expect(await viewersOf(performer)).toBe(0);
    expect(await storedPeakOf(performer)).toEqual([3]);
    expect(await performer.call(endBroadcast, {})).toMatchObject({ peakViewers: 3 });
  });

  it('stay over HLS while they fetch a playlist or a segment every 15 seconds', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, early] = [await site.viewer(), await site.viewer()];
    await fetchesPlaylist(early, performer);
    await fetchesPlaylist(viewer, performer);
    site.clock.advance(14_000);
    expect(await fetchesSegment(viewer, performer)).toBe(200);
    expect(await viewersOf(performer)).toBe(2);
    site.clock.advance(14_000);
    expect(await viewersOf(performer)).toBe(1);
    await fetchesPlaylist(viewer, performer);
    site.clock.advance(14_000);
    expect(await viewersOf(performer)).toBe(1);
    site.clock.advance(1_000);
    expect(await viewersOf(performer)).toBe(0);
  });

  it('count once each: people with all their tabs and players, guests by session', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    await playsFull(viewer, performer);
    await playsLow(await site.anotherTabOf(viewer), performer);
    await fetchesPlaylist(viewer, performer);
    expect(await viewersOf(performer)).toBe(1);
    const [guest, other] = [await site.visitor({ ofAge: true }), await site.visitor({ ofAge: true })];
    await playsFull(guest, performer);
    await fetchesPlaylist(guest, performer);
    expect(await viewersOf(performer)).toBe(2);
    await fetchesPlaylist(other, performer);
    expect(await viewersOf(performer)).toBe(3);
  });

  it('are of one performer alone, and of the stream that they were let into', async () => {
    const [performer, another] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const [viewer, hls] = [await site.viewer(), await site.viewer()];
    await playsFull(viewer, performer);
    await fetchesPlaylist(hls, performer);
    // A performer is a viewer of others.
    await playsFull(another, performer);
    expect([await viewersOf(performer), await viewersOf(another)]).toEqual([3, 0]);
    await site.services.broadcast.move(site.scope, performer.id, 'public');
    expect(await viewersOf(performer)).toBe(0);
    await fetchesPlaylist(hls, performer);
    expect(await viewersOf(performer)).toBe(1);
    expect(await performer.call(endBroadcast, {})).toMatchObject({ peakViewers: 3 });
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
