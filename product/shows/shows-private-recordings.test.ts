import { requestOf } from '#platform/contract/client.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import {
  deleteRecording,
  getRecordingFile,
  listRecordings,
  setOfflineVideo,
  startRecording,
  stopRecording,
} from '#product/recordings/contract.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { spies } from '#product/testkit/shows/spying.ts';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getReceipts, privateRecordingChanged } from './contract/private-running.ts';
import { acceptPrivate, checkPrivate, getPrivateRequests, requestPrivate } from './contract/private-show.ts';
import { saveShowSettings } from './contract/settings.ts';
import { getShowRecording, getShowRecordingFile } from './contract/show-recording.ts';
import { PERFORMER_CONSENT_VERSION } from './rules/private.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const streamOf = async (performer: Member): Promise<string> =>
  (await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id))).stream ?? '';
const recorded = (stream: string) => site.outputs.recordings.filter((item) => item.stream === stream);
const ownOf = async (performer: Member) => (await performer.call(listRecordings, {})).recordings;
const receiptOf = async (member: Member) => (await member.call(getReceipts, {})).receipts[0];
const offering = (): Promise<Member> => privatePerformer(site, { isRecordingEnabled: true });
const runningOf = async (viewer: Member, performer: Member) =>
  (await viewer.call(checkPrivate, { username: performer.username })).running;

/** The first private show of the site: its id is also that of the first ticket show. */
let first: { readonly id: number; readonly viewer: Member; readonly performer: Member } | null = null;

/** A private show, with a recording by default, that runs for a second. */
async function runs(performer: Member, viewer: Member, recording = true): Promise<string> {
  await startsPrivate(viewer, performer, { recording });
  await watches(viewer, performer);
  await mediaPasses(site, performer, 1);
  await site.settle();
  return streamOf(performer);
}
/** The id of a show that was recorded for this many seconds, and is over. */
async function recordedShow(performer: Member, viewer: Member, seconds = 30): Promise<number> {
  site.outputs.film(await runs(performer, viewer), seconds);
  const { id } = await endsPrivate(viewer, performer);
  await site.settle();
  return id;
}
const watching = { mode: 'private' } as const;

describe('the recording of a private show', () => {
  it('is agreed by both, made of their show alone, and free for the two to watch', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    const { username } = performer;
    await performer.call(startRecording, { consent: true });
    const open = await streamOf(performer);
    site.outputs.film(open, 7);
    await viewer.call(requestPrivate, { username, price: 30, recording: true });
    // A performer who was not shown the request for a recording has not agreed to it.
    expect(await performer.refused(acceptPrivate, { username: viewer.username }))
      .toMatchObject({ status: 422, errorType: 'private_consent_missing' });
    expect((await performer.call(getPrivateRequests, {})).requests).toMatchObject([{ recording: true }]);
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    const accepted = await performer.call(acceptPrivate, {
      username: viewer.username,
      recording_consent: true,
    });
    expect(accepted).toMatchObject({ recording: true, recording_state: 'agreed' });
    await site.settle();
    const stream = await streamOf(performer);
    expect(stream).not.toBe(open);
    // Nothing is recorded before the show's first second.
    expect(site.outputs.recordings).toEqual([]);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 1);
    await site.settle();
    expect(site.outputs.recordings.map((recording) => recording.stream)).toEqual([stream]);
    for (const socket of [room, console]) {
      expect(await socket.waitFor(privateRecordingChanged)).toMatchObject({
        username: viewer.username,
        broadcaster: username,
        recording_state: 'running',
      });
    }
    expect(await runningOf(viewer, performer)).toMatchObject({ recording_state: 'running' });
    expect((await performer.call(getPrivateRequests, {})).running)
      .toMatchObject({ recording_state: 'running' });
    // The recording belongs to the show: it cannot be stopped by hand, nor joined by an ordinary one.
    expect(await performer.refused(stopRecording, {})).toMatchObject({ errorType: 'recording_unknown' });
    expect(await performer.refused(startRecording, { consent: true }))
      .toMatchObject({ errorType: 'recording_runs' });
    site.outputs.film(stream, 30);
    const { tokens } = await viewer.call(getBalance, {});
    const ended = await endsPrivate(viewer, performer);
    await site.settle();
    expect(site.outputs.recordings).toEqual([]);
    const receipt = await receiptOf(viewer);
    expect([receipt?.recording_state, receipt?.tokens, ended.tokens]).toEqual(['ready', 0, 0]);
    expect((await viewer.call(getBalance, {})).tokens).toBeGreaterThanOrEqual(tokens);
    expect(await receiptOf(performer)).toMatchObject({ recording_state: 'ready' });
    for (const socket of [room, console]) {
      await socket.waitFor(privateRecordingChanged, ({ recording_state: state }) => state === 'ready');
    }
    const [own, before] = await ownOf(performer);
    expect(before).toMatchObject({ mode: 'public', state: 'ready', seconds: 7 });
    expect(own).toMatchObject({
      mode: 'private',
      title: '',
      state: 'ready',
      seconds: 30,
      consent: { version: PERFORMER_CONSENT_VERSION },
    });
    expect(own?.people).toMatchObject([{ username }]);
    expect(await performer.refused(setOfflineVideo, { recording_id: own?.id ?? 0 }))
      .toMatchObject({ errorType: 'recording_unknown' });
    const [notice] = (await viewer.call(listNotices, {})).notices;
    expect(notice).toMatchObject({ link: `/account/shows/recordings/${ended.id}?mode=private` });
    first = { id: ended.id, viewer, performer };
    for (const who of [viewer, performer]) {
      expect(await who.call(getShowRecording, { show: ended.id, ...watching })).toMatchObject({
        show_id: ended.id,
        mode: 'private',
        broadcaster: username,
        limited_message: '',
        seconds: 30,
        parts: [{ seconds: 30 }],
      });
    }
  });

  it('is not made of a show for which nobody asked, and not asked for where it is not offered', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    const stream = await runs(performer, viewer, false);
    expect(recorded(stream)).toEqual([]);
    const { id } = await endsPrivate(viewer, performer);
    await site.settle();
    expect(await receiptOf(viewer)).toMatchObject({ recording: false, recording_state: null });
    expect((await viewer.refused(getShowRecording, { show: id, ...watching })).status).toBe(404);
    // A pending request is declined when its offer ends.
    await viewer.call(requestPrivate, { username: performer.username, price: 30, recording: true });
    await performer.call(saveShowSettings, { private: { isRecordingEnabled: false } });
    await site.settle();
    expect((await performer.call(getPrivateRequests, {})).requests).toEqual([]);
    expect(await viewer.refused(requestPrivate, { username: performer.username, price: 30, recording: true }))
      .toMatchObject({ errorType: 'recording_disabled' });
  });

  it('goes on without one when it cannot be recorded, and both learn so', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    site.outputs.refuseWith('overloaded');
    const [room, console] = [await viewer.joins(performer), await performer.joins(performer)];
    await runs(performer, viewer);
    site.outputs.refuseWith(null);
    for (const socket of [room, console]) {
      expect(await socket.waitFor(privateRecordingChanged)).toMatchObject({ recording_state: 'off' });
    }
    await mediaPasses(site, performer, 3);
    expect(await runningOf(viewer, performer)).toMatchObject({
      recording_state: 'off',
      phase: 'running',
      privateStreamTimeInSecond: 4,
    });
    const { id } = await endsPrivate(viewer, performer);
    await site.settle();
    expect(await receiptOf(viewer)).toMatchObject({ recording_state: 'none', seconds: 4 });
    expect((await viewer.refused(getShowRecording, { show: id, ...watching })).status).toBe(404);
    expect((await viewer.call(listNotices, {})).notices).toEqual([]);
  });

  it('goes on without one when the space is full before or in the middle of it', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    const stream = await runs(performer, viewer);
    site.outputs.film(stream, 10);
    site.outputs.endRecording(recorded(stream)[0]?.id ?? '', 'full');
    await site.settle();
    expect(await runningOf(viewer, performer)).toMatchObject({ recording_state: 'off', phase: 'running' });
    const { id } = await endsPrivate(viewer, performer);
    await site.settle();
    expect(await viewer.call(getShowRecording, { show: id, ...watching })).toMatchObject({ seconds: 10 });
    const quota = (bytes: number | null) =>
      site.tx((tx) => site.services.site.configure(tx, { recordingQuotaBytes: bytes }, null));
    await quota(1);
    expect(recorded(await runs(performer, viewer))).toEqual([]);
    expect(await runningOf(viewer, performer)).toMatchObject({ recording_state: 'off' });
    await quota(null);
    await endsPrivate(viewer, performer);
    await site.settle();
  });

  it('goes on in a second part after an interruption', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    site.outputs.film(await runs(performer, viewer), 10);
    site.engine.drop(await streamOf(performer), 'silent');
    await site.settle();
    expect(await runningOf(viewer, performer)).toMatchObject({ recording_state: 'off' });
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    await site.rtmp.publishes(key);
    site.engine.arrive();
    await site.settle();
    expect(await runningOf(viewer, performer)).toMatchObject({ recording_state: 'running' });
    site.outputs.film(await streamOf(performer), 20);
    const { id } = await endsPrivate(viewer, performer);
    await site.settle();
    expect(await viewer.call(getShowRecording, { show: id, ...watching })).toMatchObject({
      seconds: 30,
      parts: [{ seconds: 10 }, { seconds: 20 }],
    });
  });

  it('is never of the next show, whatever comes too late', async () => {
    const performer = await offering();
    const [viewer, next] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const stream = await runs(performer, viewer);
    const { id } = await endsPrivate(viewer, performer);
    await site.settle();
    const other = await runs(performer, next, false);
    await site.services.recordings.recordShow({ operatorId: 1 }, performer.id, {
      mode: 'private',
      showId: id,
      stream,
      title: '',
      consentAt: site.clock.now(),
      consentVersion: 1,
    });
    await site.settle();
    expect(recorded(other)).toEqual([]);
    expect(site.outputs.recordings).toEqual([]);
    await endsPrivate(next, performer);
    await site.settle();
  });

  it('is completed later, and once, when the process died at the end of the show', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    site.outputs.film(await runs(performer, viewer), 30);
    const { id } = await endsPrivate(viewer, performer);
    // The deadline is set by the unit of work that ended the show.
    const due = async () =>
      (await site.tx((tx) =>
        sql<{ at: Date }>`
      select at from platform.due where kind = 'shows.privateRecording' and key = ${String(id)}`
          .execute(tx.sql())
      )).rows;
    expect(await due()).toHaveLength(1);
    await site.services.shows.settled();
    await site.tx((tx) =>
      sql`
      update shows.privates set recorded_ms = null where id = ${id}`.execute(tx.sql())
    );
    expect(await receiptOf(viewer)).toMatchObject({ recording_state: 'saving' });
    expect((await viewer.refused(getShowRecording, { show: id, ...watching })).status).toBe(404);
    await site.passes(1_000);
    expect(await due()).toEqual([]);
    expect(await viewer.call(getShowRecording, { show: id, ...watching })).toMatchObject({ seconds: 30 });
    expect((await viewer.call(listNotices, {})).notices).toHaveLength(1);
  });

  it('is withdrawn by its performer, in the show or after it: nobody plays it again', async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 500 });
    const room = await viewer.joins(performer);
    const stream = await runs(performer, viewer);
    site.outputs.film(stream, 5);
    const [running] = await ownOf(performer);
    await performer.call(deleteRecording, { id: running?.id ?? 0 });
    await site.settle();
    await room.waitFor(privateRecordingChanged, ({ recording_state: state }) => state === 'withdrawn');
    expect(site.outputs.recordings).toEqual([]);
    expect(await runningOf(viewer, performer))
      .toMatchObject({ phase: 'running', recording_state: 'withdrawn' });
    const { id: first } = await endsPrivate(viewer, performer);
    await site.settle();
    const second = await recordedShow(performer, viewer);
    const [part] = await ownOf(performer);
    await performer.call(deleteRecording, { id: part?.id ?? 0 });
    await site.settle();
    for (const show of [first, second]) {
      for (const who of [viewer, performer]) {
        expect(await who.refused(getShowRecording, { show, ...watching }))
          .toMatchObject({ status: 404, errorType: 'show_recording_withdrawn' });
      }
      const stranger = await site.viewer();
      expect(await stranger.refused(getShowRecording, { show, ...watching }))
        .toMatchObject({ status: 404, errorType: 'show_recording_unknown' });
    }
    expect(await receiptOf(viewer)).toMatchObject({ recording_state: 'withdrawn' });
    expect(await ownOf(performer)).toEqual([]);
  });

  it('is withdrawn when its performer is erased', async () => {
    const [performer, viewer] = [await offering(), await site.viewer({ tokens: 500 })];
    const show = await recordedShow(performer, viewer);
    const recordings = site.extensions.all(personalData).flat()
      .find(({ table }) => table === 'recordings.recordings');
    await site.tx(async (tx) =>
      recordings?.erase?.(tx, {
        id: performer.id,
        names: [],
        displayName: '',
        email: '',
        pseudonym: '',
        isEmailConfirmed: false,
      }, 10)
    );
    await site.settle();
    expect(await receiptOf(viewer)).toMatchObject({ recording_state: 'withdrawn' });
    expect(await viewer.refused(getShowRecording, { show, ...watching }))
      .toMatchObject({ status: 404, errorType: 'show_recording_withdrawn' });
  });
});

describe('a recorded private show is watched by its two alone', () => {
  let performer: Member;
  let viewer: Member;
  let spy: Member;
  let show = 0;
  let part = 0;
  beforeAll(async () => {
    performer = await privatePerformer(site, { isRecordingEnabled: true }, {}, {
      isEnabled: true,
      pricePerMinuteInToken: 12,
    });
    viewer = await site.viewer({ tokens: 900 });
    const stream = await runs(performer, viewer);
    ({ spy } = await spies(site, performer));
    site.outputs.film(stream, 30);
    ({ id: show } = await endsPrivate(viewer, performer));
    await site.settle();
    part = (await viewer.call(getShowRecording, { show, ...watching })).parts[0]?.id ?? 0;
  });
  const fileAs = async (who: Visitor, of = show, number = part, mode: 'limited' | 'private' = 'private') => {
    const { path } = requestOf(getShowRecordingFile, { show: of, part: number, mode });
    return (await who.request({ url: path, headers: {} })).statusCode;
  };

  it('and by nobody else: a spy, other members and performers, admins, guests', async () => {
    expect([await fileAs(viewer), await fileAs(performer)]).toEqual([200, 200]);
    for (const who of [spy, await site.viewer({ tokens: 100 }), await site.performer(), await site.admin()]) {
      expect(await who.refused(getShowRecording, { show, ...watching }))
        .toMatchObject({ status: 404, errorType: 'show_recording_unknown' });
      expect(await fileAs(who)).toBe(404);
    }
    const guest = await site.visitor({ ofAge: true });
    expect([(await guest.refused(getShowRecording, { show, ...watching })).status, await fileAs(guest)])
      .toEqual([401, 401]);
    // The performer's own address for the file is refused to everybody else, including the viewer.
    const { path } = requestOf(getRecordingFile, { id: part });
    expect((await viewer.request({ url: path })).statusCode).toBe(403);
    expect((await performer.request({ url: path })).statusCode).toBe(200);
  });

  it('by no part of another show, and by no number of the other kind', async () => {
    const [second, other] = [await offering(), await site.viewer({ tokens: 900 })];
    const elsewhere = await recordedShow(second, other);
    const [{ id: foreign } = { id: 0 }] = (await other.call(getShowRecording, {
      show: elsewhere,
      ...watching,
    })).parts;
    expect(await fileAs(viewer, show, foreign)).toBe(404);
    expect(await fileAs(viewer, elsewhere, foreign)).toBe(404);
    expect(await fileAs(viewer, elsewhere, part)).toBe(404);
    expect(await fileAs(viewer, show, part, 'limited')).toBe(404);
  });

  it('under a number that a ticket show has, too, and its buyer that alone', async () => {
    if (!first) throw new Error('the first private show is that of the first test');
    const { id, viewer: early, performer: her } = first;
    const [third, buyer] = [await ticketPerformer(site), await site.viewer({ tokens: 900 })];
    const ticket = await runsRecorded(site, third, buyer);
    await sellsRecordings(third, buyer);
    await endsRecorded(site, third, ticket.stream);
    expect(ticket.show).toBe(id);
    const [{ id: ofTicket } = { id: 0 }] = await ownOf(third);
    const own = (await early.call(getShowRecording, { show: id, ...watching })).parts[0]?.id ?? 0;
    expect((await buyer.call(getShowRecording, { show: id })).parts.map((one) => one.id)).toEqual([ofTicket]);
    expect([await fileAs(early, id, own), await fileAs(buyer, id, ofTicket, 'limited')]).toEqual([200, 200]);
    for (const mode of ['private', 'limited'] as const) {
      expect(await fileAs(early, id, ofTicket, mode)).toBe(404);
      expect(await fileAs(her, id, ofTicket, mode)).toBe(404);
      expect(await fileAs(buyer, id, own, mode)).toBe(404);
    }
    // Deleting the ticket show's recording affects only its own performer.
    await third.call(deleteRecording, { id: ofTicket });
    await site.settle();
    expect([await fileAs(early, id, own), await fileAs(buyer, id, ofTicket, 'limited')]).toEqual([200, 404]);
  });

  it('by its viewer as long as they may enter the room', async () => {
    await performer.moderates('ban', viewer);
    await site.settle();
    expect(await viewer.refused(getShowRecording, { show, ...watching }))
      .toMatchObject({ status: 404, errorType: 'show_recording_unknown' });
    expect(await fileAs(viewer)).toBe(404);
    await performer.moderates('unban', viewer);
    await site.settle();
    expect(await fileAs(viewer)).toBe(200);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, performer.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    await site.settle();
    expect(await fileAs(viewer)).toBe(404);
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
