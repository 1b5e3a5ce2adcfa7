import type { OutputOf } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { deleteRecording, listRecordings, startRecording } from '#product/recordings/contract.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  runsPrivate,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { spies } from '#product/testkit/shows/spying.ts';
import { endsRecorded, runsRecorded, ticketPerformer } from '#product/testkit/shows/ticket-show.ts';
import { recordsPublic, watchableShow } from '#product/testkit/shows/watching.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endPrivate, privateTick } from './contract/private-running.ts';
import { checkPrivate, getPrivateRequests } from './contract/private-show.ts';
import {
  getWatchable,
  getWatchedFile,
  privateWatch,
  stopWatching,
  watchTogether,
} from './contract/private-watching.ts';
import { saveShowSettings } from './contract/settings.ts';
import { WATCHABLE_PAGE } from './rules/private.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** What the viewer and the performer read about the watched video. */
const watchedBy = async (viewer: Member, performer: Member) => [
  (await viewer.call(checkPrivate, { username: performer.username })).running?.watch_together,
  (await performer.call(getPrivateRequests, {})).running?.watch_together,
];
const fileAs = async (who: Visitor, { username }: Member, id: number, range?: string) => {
  const { path } = requestOf(getWatchedFile, { username, id });
  const { statusCode, headers, rawPayload } = await who.request({ url: path, headers: { range } });
  return { status: statusCode, headers, body: rawPayload };
};
/** Media reaches the viewer: the show runs. */
async function running(options: Parameters<typeof watchableShow>[1] = {}) {
  const show = await watchableShow(site, options);
  await mediaPasses(site, show.performer, 1);
  return show;
}

describe('the two of a private show', () => {
  it('watch a recording at the same place: played, paused, moved, changed and stopped', async () => {
    const { performer, viewer, id } = await running();
    const [room, own] = [await viewer.joins(performer), await performer.joins(performer)];
    expect(await watchedBy(viewer, performer)).toEqual([null, null]);
    const begun = await performer.call(watchTogether, { id });
    const at = site.clock.now().toISOString();
    expect(begun).toEqual({ id, length_ms: 60_000, position_ms: 0, is_playing: true, at });
    await site.settle();
    for (const socket of [room, own]) {
      expect(await socket.waitFor(privateWatch)).toEqual({ watch_together: begun, is_deleted: false });
    }
    await site.passes(10_000);
    const now = { ...begun, position_ms: 10_000, at: site.clock.now().toISOString() };
    expect(await watchedBy(viewer, performer)).toEqual([now, now]);
    expect(await performer.call(watchTogether, { id, is_playing: false }))
      .toMatchObject({ position_ms: 10_000, is_playing: false });
    await site.passes(5_000);
    const still = expect.objectContaining({ id, position_ms: 10_000, is_playing: false }) as unknown;
    expect(await watchedBy(viewer, performer)).toEqual([still, still]);
    // Moved while paused, the video stays paused; no position is beyond its end.
    expect(await performer.call(watchTogether, { id, position_ms: 40_000 }))
      .toMatchObject({ position_ms: 40_000, is_playing: false });
    expect(await performer.call(watchTogether, { id, position_ms: 61_000, is_playing: true }))
      .toMatchObject({ position_ms: 60_000, is_playing: false });
    expect(await performer.call(watchTogether, { id, is_playing: true }))
      .toMatchObject({ position_ms: 0, is_playing: true });
    await performer.call(stopWatching, {});
    expect(await watchedBy(viewer, performer)).toEqual([null, null]);
    await site.settle();
    await room.waitFor(privateWatch, ({ watch_together: watched }) => watched === null);
    // Stopping again changes nothing, and sends no event.
    await performer.call(stopWatching, {});
    await site.settle();
    expect(own.received(privateWatch)).toHaveLength(6);
    expect(own.received(privateWatch)).toEqual(room.received(privateWatch));
  });

  it('plays to its very end, which is no whole second, and from there again', async () => {
    const { performer, viewer } = await running();
    const id = await recordsPublicOf(performer, 60.4);
    expect(await performer.call(watchTogether, { id, position_ms: 60_000, is_playing: true }))
      .toMatchObject({ length_ms: 60_400, position_ms: 60_000, is_playing: true });
    await site.passes(500);
    const over = expect.objectContaining({ position_ms: 60_400, is_playing: false }) as unknown;
    expect(await watchedBy(viewer, performer)).toEqual([over, over]);
    expect(await performer.call(watchTogether, { id, is_playing: true }))
      .toMatchObject({ position_ms: 0, is_playing: true });
  });

  it('go on paying by the meter, whether the video plays or not', async () => {
    const { performer, viewer, id } = await running();
    const room = await viewer.joins(performer);
    await performer.call(watchTogether, { id });
    await mediaPasses(site, performer, 9);
    await performer.call(watchTogether, { id, is_playing: false });
    await mediaPasses(site, performer, 10);
    await room.waitFor(privateTick, (tick) => tick.privateStreamTimeInSecond === 20);
    expect((await endsPrivate(viewer, performer)).seconds).toBe(20);
  });

  it('watch nothing any more when the show is over, and nothing in the next one [C-118]', async () => {
    const ends: ((performer: Member, viewer: Member) => Promise<unknown>)[] = [
      (performer, viewer) => performer.call(endPrivate, { username: viewer.username }),
      (performer, viewer) => endsPrivate(viewer, performer),
      (performer, viewer) => performer.moderates('kick', viewer),
    ];
    for (const end of ends) {
      const { performer, viewer, id } = await running();
      await performer.call(watchTogether, { id });
      expect((await fileAs(viewer, performer, id)).status).toBe(200);
      await end(performer, viewer);
      await site.settle();
      for (const who of [viewer, performer]) expect((await fileAs(who, performer, id)).status).toBe(404);
      expect((await performer.call(getPrivateRequests, {})).running).toBeNull();
      expect((await performer.refused(watchTogether, { id })).errorType).toBe('not_in_private_show');
      expect((await performer.refused(stopWatching, {})).errorType).toBe('not_in_private_show');
      const next = await site.viewer({ tokens: 500 });
      await startsPrivate(next, performer);
      await watches(next, performer);
      await mediaPasses(site, performer, 1);
      expect(await watchedBy(next, performer)).toEqual([null, null]);
      expect((await fileAs(next, performer, id)).status).toBe(404);
    }
  });

  it('learn at once that its performer deleted it, and nobody plays it again', async () => {
    const { performer, viewer, id } = await running();
    const [room, own] = [await viewer.joins(performer), await performer.joins(performer)];
    await performer.call(watchTogether, { id });
    await performer.call(deleteRecording, { id });
    expect((await fileAs(viewer, performer, id)).status).toBe(404);
    await site.settle();
    for (const socket of [room, own]) {
      expect(await socket.waitFor(privateWatch, ({ is_deleted: isDeleted }) => isDeleted))
        .toEqual({ watch_together: null, is_deleted: true });
    }
    expect(await watchedBy(viewer, performer)).toEqual([null, null]);
    expect((await performer.refused(watchTogether, { id })).errorType).toBe('recording_unknown');
    // Deleting another recording ends nothing.
    const second = await running();
    const other = await recordsPublicOf(second.performer);
    await second.performer.call(watchTogether, { id: second.id });
    await second.performer.call(deleteRecording, { id: other });
    await site.settle();
    expect((await fileAs(second.viewer, second.performer, second.id)).status).toBe(200);
  });
});

/** Makes another recording of a performer: ends the show, records in public, and starts the next show. */
async function recordsPublicOf(performer: Member, seconds = 5): Promise<number> {
  const { running: show } = await performer.call(getPrivateRequests, {});
  const viewer = await site.memberOf(show?.username ?? '');
  await endsPrivate(viewer, performer);
  const id = await recordsPublic(performer, seconds);
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 1);
  return id;
}

describe('what can be watched together', () => {
  it('is one’s own finished public recordings, page by page', async () => {
    const performer = await privatePerformer(site, { isWatchPornTogetherEnabled: true });
    expect(await performer.call(getWatchable, {})).toEqual({ recordings: [], next: null });
    const ids: number[] = [];
    for (let at = 0; at < WATCHABLE_PAGE + 1; at += 1) ids.unshift(await recordsPublic(performer, 2));
    const first = await performer.call(getWatchable, {});
    expect(first.recordings.map(({ id }) => id)).toEqual(ids.slice(0, WATCHABLE_PAGE));
    expect(first.recordings[0]).toEqual({
      id: ids[0],
      title: '',
      started_at: expect.any(String) as string,
      seconds: 2,
    });
    const last = await performer.call(getWatchable, { before: first.next ?? 0 });
    expect([last.recordings.map(({ id }) => id), last.next]).toEqual([ids.slice(WATCHABLE_PAGE), null]);
    const { id: runs } = await performer.call(startRecording, { consent: true });
    expect((await performer.call(getWatchable, {})).recordings.map(({ id }) => id)).not.toContain(runs);
  });

  it('is never one of a ticket show, or of somebody else', async () => {
    const seller = await ticketPerformer(site);
    await seller.call(saveShowSettings, { private: { isEnabled: true, isWatchPornTogetherEnabled: true } });
    const buyer = await site.viewer({ tokens: 900 });
    const { stream } = await runsRecorded(site, seller, buyer);
    await endsRecorded(site, seller, stream);
    const [{ id: ofTickets } = { id: 0 }] = (await seller.call(listRecordings, {})).recordings;
    await startsPrivate(buyer, seller);
    await watches(buyer, seller);
    await mediaPasses(site, seller, 1);
    const { performer, viewer, id } = await running();
    const other = await running();
    expect(ofTickets).toBeGreaterThan(0);
    expect(await seller.call(getWatchable, {})).toEqual({ recordings: [], next: null });
    for (const [who, wanted] of [
      [seller, ofTickets],
      [performer, other.id],
      [performer, ofTickets],
      [performer, 999_999],
    ] as const) {
      expect(await who.refused(watchTogether, { id: wanted }))
        .toMatchObject({ status: 404, errorType: 'recording_unknown' });
    }
    expect(await watchedBy(viewer, performer)).toEqual([null, null]);
    // A finished recording of the same performer can be watched.
    expect((await performer.call(watchTogether, { id })).id).toBe(id);
  });
});

describe('watching together is refused', () => {
  it('to everybody but the performer of the show, and while it does not run', async () => {
    const { performer, viewer, id } = await running();
    const guest = await site.visitor({ ofAge: true });
    for (const call of [
      (who: Visitor) => who.refused(watchTogether, { id }),
      (who: Visitor) => who.refused(stopWatching, {}),
    ]) {
      expect((await call(guest)).status).toBe(401);
      expect((await call(viewer)).status).toBe(403);
      expect((await call(await site.admin())).status).toBe(403);
      expect((await call(await site.performer({ live: true }))).errorType).toBe('not_in_private_show');
    }
    expect((await viewer.refused(getWatchable, {})).status).toBe(403);
    expect(await watchedBy(viewer, performer)).toEqual([null, null]);
    // An accepted show without video is not running.
    const early = await privatePerformer(site, { isWatchPornTogetherEnabled: true });
    const own = await recordsPublic(early, 5);
    await startsPrivate(await site.viewer({ tokens: 500 }), early);
    expect((await early.refused(watchTogether, { id: own })).errorType).toBe('not_in_private_show');
  });

  it('where it is not turned on; what is watched is paused and stopped all the same', async () => {
    const { performer, viewer, id } = await running({ isOffered: false });
    const other = await recordsPublicOf(performer);
    expect((await performer.call(getPrivateRequests, {})).can_watch_together).toBe(false);
    expect(await performer.refused(watchTogether, { id }))
      .toMatchObject({ status: 403, errorType: 'watch_together_disabled' });
    expect((await fileAs(viewer, performer, id)).status).toBe(404);
    const turn = (isOn: boolean) =>
      performer.call(saveShowSettings, { private: { isWatchPornTogetherEnabled: isOn } });
    await turn(true);
    expect((await performer.call(getPrivateRequests, {})).can_watch_together).toBe(true);
    await performer.call(watchTogether, { id });
    await turn(false);
    // Choosing another video would start a new one.
    expect((await performer.refused(watchTogether, { id: other })).errorType).toBe('watch_together_disabled');
    expect((await watchedBy(viewer, performer))[0]).toMatchObject({ id });
    expect((await performer.call(watchTogether, { id, is_playing: false })).is_playing).toBe(false);
    await performer.call(stopWatching, {});
    expect((await performer.refused(watchTogether, { id })).errorType).toBe('watch_together_disabled');
  });

  it('with positions and ids that are none', async () => {
    const { performer, id } = await running();
    for (const input of [
      {},
      { id: 0 },
      { id: -1 },
      { id, position_ms: -1 },
      { id, position_ms: 0.5 },
      { id, position_ms: 10 ** 12 },
      { id, is_playing: 'yes' },
      { id, seconds: 5 },
    ]) {
      expect((await performer.refused(watchTogether, input)).errorType).toBe('invalid_input');
    }
  });
});

describe('the video', () => {
  it('is read by the two in byte ranges, and stored by no cache', async () => {
    const { performer, viewer, id } = await running();
    expect((await fileAs(viewer, performer, id)).status).toBe(404);
    await performer.call(watchTogether, { id });
    const [theirs, own] = [await fileAs(viewer, performer, id), await fileAs(performer, performer, id)];
    expect([theirs.status, own.status]).toEqual([200, 200]);
    expect(theirs.body.equals(own.body)).toBe(true);
    expect(theirs.headers).toMatchObject({
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
    });
    const some = await fileAs(viewer, performer, id, 'bytes=10-19');
    expect([some.status, some.headers['content-range']]).toEqual([206, `bytes 10-19/${theirs.body.length}`]);
    expect(some.body.equals(theirs.body.subarray(10, 20))).toBe(true);
    expect((await fileAs(viewer, performer, id, `bytes=${theirs.body.length}-`)).status).toBe(416);
    await performer.call(stopWatching, {});
    for (const who of [viewer, performer]) expect((await fileAs(who, performer, id)).status).toBe(404);
  });

  it('is unknown to everybody else, to spies too, who learn nothing of it', async () => {
    const { performer, viewer, id } = await running({ spy: { isEnabled: true } });
    const { spy } = await spies(site, performer);
    const [other, elsewhere] = [await site.viewer(), await running()];
    await elsewhere.performer.call(watchTogether, { id: elsewhere.id });
    const sockets = [
      await spy.joins(performer),
      await other.joins(performer),
      await viewer.joins(performer),
    ] as const;
    await performer.call(watchTogether, { id });
    await mediaPasses(site, performer, 2);
    for (const who of [
      spy,
      other,
      await site.admin(),
      await site.performer(),
      elsewhere.viewer,
      elsewhere.performer,
    ]) {
      expect((await fileAs(who, performer, id)).status).toBe(404);
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await fileAs(guest, performer, id)).status).toBe(401);
    // Neither another recording through this show, nor this recording through another room.
    const { path } = requestOf(getWatchedFile, { username: performer.username, id });
    const another = await viewer.request({ url: path.replace(`/${id}/`, `/${elsewhere.id}/`) });
    expect(another.statusCode).toBe(404);
    expect((await fileAs(viewer, elsewhere.performer, id)).status).toBe(404);
    expect((await fileAs(viewer, elsewhere.performer, elsewhere.id)).status).toBe(404);
    expect((await fileAs(performer, elsewhere.performer, elsewhere.id)).status).toBe(404);
    await performer.call(watchTogether, { id, is_playing: false });
    const [ofSpy, ofRoom, ofViewer] = sockets;
    await site.settle();
    await ofViewer.waitFor(privateWatch, (sent) => sent.watch_together?.is_playing === false);
    await site.settle();
    expect([ofSpy.received(privateWatch), ofRoom.received(privateWatch)]).toEqual([[], []]);
    for (const socket of [ofSpy, ofRoom]) {
      expect(JSON.stringify(socket.events)).not.toContain('watch_together');
    }
    // What others can read about the show does not mention the video either.
    type Check = OutputOf<typeof checkPrivate>;
    const seen: Check = await other.call(checkPrivate, { username: performer.username });
    expect(seen.running).toBeNull();
  });

  it('is refused to a viewer who may not be in the room any more, before the show has ended', async () => {
    const { performer, viewer, id } = await running();
    await performer.call(watchTogether, { id });
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, performer.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    expect((await fileAs(viewer, performer, id)).status).toBe(404);
    await site.settle();
    expect((await fileAs(viewer, performer, id)).status).toBe(404);
  });

  it('is another one after the performer chose another', async () => {
    const { performer, viewer, id } = await running();
    const second = await recordsPublicOf(performer);
    await performer.call(watchTogether, { id, position_ms: 30_000 });
    const room = await viewer.joins(performer);
    expect(await performer.call(watchTogether, { id: second }))
      .toMatchObject({ id: second, length_ms: 5_000, position_ms: 0, is_playing: true });
    await site.settle();
    await room.waitFor(privateWatch, ({ watch_together: watched }) => watched?.id === second);
    expect([(await fileAs(viewer, performer, id)).status, (await fileAs(viewer, performer, second)).status])
      .toEqual([404, 200]);
    // At its end the video stands still.
    await site.passes(6_000);
    expect((await watchedBy(viewer, performer))[0]).toMatchObject({ position_ms: 5_000, is_playing: false });
  });
});

it('a show without watching together is as it was', async () => {
  const { viewer, performer } = await runsPrivate(site);
  await mediaPasses(site, performer, 1);
  expect(await watchedBy(viewer, performer)).toEqual([null, null]);
});
it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
