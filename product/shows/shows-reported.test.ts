import { closeReport, getReportedRecording, listReports, sendReport } from '#product/moderation/contract.ts';
import { deleteRecording, listRecordings, setOfflineVideo } from '#product/recordings/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { recordingsAgain } from '#product/testkit/media/recordings-again.ts';
import {
  endsRecorded,
  runsRecorded,
  sellsRecordings,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { recordsPublic } from '#product/testkit/shows/watching.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getShowRecording } from './contract/show-recording.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

/** A recorded ticket show with recordings bought by these viewers. */
async function recordedShow(...buyers: readonly Member[]) {
  return showOf(await ticketPerformer(site), ...buyers);
}
async function showOf(performer: Member, ...buyers: readonly Member[]) {
  const before = new Set(stored());
  const { show, stream } = await runsRecorded(site, performer, ...buyers);
  await sellsRecordings(performer, ...buyers);
  await endsRecorded(site, performer, stream);
  const [recording] = (await performer.call(listRecordings, {})).recordings;
  const [file = ''] = stored().filter((name) => !before.has(name));
  return { performer, show, id: recording?.id ?? 0, file };
}
const folder = (): string => join(site.folder, 'kept', '1');
const stored = (): string[] => (existsSync(folder()) ? readdirSync(folder()) : []);

const reports = (who: Member, performer: Member, show: number): Promise<unknown> =>
  who.call(sendReport, {
    kind: 'recording',
    username: performer.username,
    id: show,
    reason: 'non_consensual',
    details: '',
  });
const openOn = async ({ username }: Member) =>
  (await admin.call(listReports, {})).reports.filter((report) => report.username === username);
const closes = async (id: number): Promise<void> => {
  await admin.call(closeReport, { id, outcome: 'no_violation', note: 'looked at' });
  await site.settle();
};
const asks = async (who: Visitor, url: string): Promise<number> =>
  (await who.request({ method: 'GET', url: `/api/v1${url}` })).statusCode;

describe('a reported recording that its performer deletes', () => {
  it('is hidden from everybody, and there for admins while the report is open', async () => {
    const [buyer, reporter] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const { performer, show, id, file } = await recordedShow(buyer, reporter);
    await reports(reporter, performer, show);
    const [report] = await openOn(performer);
    expect(report?.recordings).toEqual([{ id, seconds: 300, is_deleted: false }]);
    expect(await asks(buyer, `/shows/recordings/${show}/${id}/file`)).toBe(200);
    expect(await performer.call(deleteRecording, { id })).toEqual({ status: 1 });
    await site.settle();
    // The performer no longer sees it, and nothing reveals that somebody reported it.
    const { recordings, space } = await performer.call(listRecordings, {});
    expect([recordings, space.usedBytes]).toEqual([[], 0]);
    expect(await asks(performer, `/video/recordings/${id}/file`)).toBe(404);
    expect((await performer.refused(deleteRecording, { id })).errorType).toBe('recording_unknown');
    for (const who of [buyer, reporter, performer]) {
      expect((await who.refused(getShowRecording, { show })).errorType).toBe('show_recording_withdrawn');
      expect([404, 409, 410]).toContain(await asks(who, `/shows/recordings/${show}/${id}/file`));
    }
    const address = `/admin/reports/${report?.id}/recordings/${id}`;
    const strangers = [
      performer,
      buyer,
      reporter,
      await site.viewer(),
      await site.performer(),
      await site.visitor({ ofAge: true }),
    ];
    for (const who of strangers) expect([401, 403]).toContain(await asks(who, address));
    expect((await openOn(performer))[0]?.recordings).toEqual([{ id, seconds: 300, is_deleted: true }]);
    const watched = await admin.call(getReportedRecording, { id: report?.id ?? 0, part: id });
    expect([watched.status, watched.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(watched.body.length).toBeGreaterThan(0);
    // Under the id of another report there is no such part.
    expect(await asks(admin, `/admin/reports/${report?.id}/recordings/${id + 1}`)).toBe(404);
    expect(stored()).toContain(file);
    await closes(report?.id ?? 0);
    expect(await asks(admin, address)).toBe(404);
    expect(stored()).not.toContain(file);
  });

  it('stays until the last report of it is closed, over a restart', async () => {
    const [first, second] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    const { performer, show, id, file } = await recordedShow(first, second);
    for (const who of [first, second]) await reports(who, performer, show);
    await performer.call(deleteRecording, { id });
    const restarted = recordingsAgain(site);
    await restarted.start?.();
    await restarted.stop?.();
    const open = await openOn(performer);
    expect(open).toHaveLength(2);
    await closes(open[0]?.id ?? 0);
    expect(stored()).toContain(file);
    expect(await asks(admin, `/admin/reports/${open[1]?.id}/recordings/${id}`)).toBe(200);
    await closes(open[1]?.id ?? 0);
    expect(stored()).not.toContain(file);
  });

  it('is gone at once without a report, after it was closed, or when another show was reported', async () => {
    const viewer = await site.viewer({ tokens: 2_000 });
    const other = await recordedShow(viewer);
    const reported = await showOf(other.performer, viewer);
    const decided = await recordedShow(viewer);
    await reports(viewer, reported.performer, reported.show);
    await reports(viewer, decided.performer, decided.show);
    const [report] = await openOn(decided.performer);
    const address = `/admin/reports/${report?.id}/recordings/${decided.id}`;
    expect(await asks(admin, address)).toBe(200);
    await closes(report?.id ?? 0);
    // After the decision the admin can no longer watch it, though the file is still stored.
    expect([await asks(admin, address), stored().includes(decided.file)]).toEqual([404, true]);
    for (const { performer, id, file } of [other, decided]) {
      await performer.call(deleteRecording, { id });
      await site.settle();
      expect(stored()).not.toContain(file);
    }
    expect(stored()).toContain(reported.file);
    // A deleted recording can no longer be reported.
    expect(
      (await viewer.refused(sendReport, {
        kind: 'recording',
        username: other.performer.username,
        id: other.show,
        reason: 'spam',
        details: '',
      })).errorType,
    ).toBe('reported_unknown');
  });
});

describe('the offline video of a room that a guest reported', () => {
  const reportsRoom = (who: Visitor, { username }: Member): Promise<unknown> =>
    who.call(sendReport, {
      kind: 'room',
      username,
      reason: 'non_consensual',
      details: '',
    });
  const guest = (): Promise<Visitor> => site.visitor({ ofAge: true });
  const showsVideo = async (performer: Member) => {
    const before = new Set(stored());
    const id = await recordsPublic(performer, 30);
    await performer.call(setOfflineVideo, { recording_id: id });
    const [file = ''] = stored().filter((name) => !before.has(name));
    return { id, file };
  };

  it('is hidden when it is deleted, and there for admins until the last report is closed', async () => {
    const performer = await site.performer({ live: true });
    const { id, file } = await showsVideo(performer);
    const other = await showsVideo(performer);
    const reporter = await guest();
    await reportsRoom(reporter, performer);
    // Reporting another video makes another report; reporting the same one does not.
    await performer.call(setOfflineVideo, { recording_id: id });
    for (const who of [reporter, reporter, await site.viewer()]) await reportsRoom(who, performer);
    const open = await openOn(performer);
    expect(open.map(({ recordings }) => recordings[0]?.id)).toEqual([id, id, other.id]);
    const [last, first, before] = open.map((item) => item.id) as [number, number, number];
    for (const one of [id, other.id]) await performer.call(deleteRecording, { id: one });
    await site.settle();
    expect((await performer.call(listRecordings, {})).recordings).toEqual([]);
    const video = `/offline-videos/${performer.username}?v=${id}`;
    for (const who of [await guest(), performer, admin]) {
      expect((await who.request({ url: video })).statusCode).toBe(404);
    }
    const address = `/admin/reports/${first}/recordings/${id}`;
    for (const who of [performer, await site.viewer(), await guest()]) {
      expect([401, 403]).toContain(await asks(who, address));
    }
    const watched = await admin.call(getReportedRecording, { id: first, part: id });
    expect([watched.status, watched.body.length > 0]).toEqual([200, true]);
    expect(await asks(admin, `/admin/reports/${first}/recordings/${other.id}`)).toBe(404);
    await closes(first);
    expect(stored()).toEqual(expect.arrayContaining([file, other.file]));
    await closes(last);
    expect([stored().includes(file), stored().includes(other.file)]).toEqual([false, true]);
    await closes(before);
    expect(stored()).not.toContain(other.file);
  });

  it('is not named by who is shown none, and goes at once when nobody reported the room', async () => {
    const performer = await site.performer({ live: true });
    const { id, file } = await showsVideo(performer);
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    await site.settle();
    await reportsRoom(await guest(), performer);
    expect((await openOn(performer)).map(({ recordings }) => recordings)).toEqual([[]]);
    await performer.call(deleteRecording, { id });
    await site.settle();
    expect(stored()).not.toContain(file);
  });
});
