import type { AnyCall, InputOf } from '#platform/contract/call.ts';
import { requestOf } from '#platform/contract/client.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteRecording,
  getOfflineVideo,
  getRecordingFile,
  listRecordings,
  setOfflineVideo,
  setPublicRecording,
  startRecording,
  startTest,
  stopRecording,
  type OfflineVideoView,
  type PublicRecordingView,
} from './contract.ts';
import { MAX_RECORDING_MS, MAX_RESPONSE_BYTES, RECORDINGS_PER_PAGE } from './rules.ts';

const MIB = 1024 ** 2;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const streamOf = async (performer: Member): Promise<string> =>
  (await playbackOf(await site.viewer(), performer)).stream;

async function records(performer: Member, seconds: number, bytesPerSecond = 0): Promise<number> {
  const { id } = await performer.call(startRecording, { consent: true });
  site.outputs.film(await streamOf(performer), seconds, bytesPerSecond);
  await performer.call(stopRecording, {});
  return id;
}
const fileOf = (id: number): Promise<string> =>
  site.tx(async (tx) => {
    const query = sql<{ file: string }>`select file from recordings.recordings where id = ${id}`;
    return join(site.folder, 'kept', '1', `${(await query.execute(tx.sql())).rows[0]?.file}.mp4`);
  });

interface Film {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}
async function asks<C extends AnyCall>(
  who: Visitor,
  call: C,
  input: InputOf<C>,
  range?: string,
): Promise<Film> {
  const { path } = requestOf(call, input as Record<string, unknown>);
  const { statusCode, headers, rawPayload } = await who.request({ url: path, headers: { range } });
  return { status: statusCode, headers, body: rawPayload };
}

describe('the file of a recording', () => {
  let performer: Member;
  let id = 0;
  let bytes = Buffer.alloc(0);
  beforeAll(async () => {
    performer = await site.performer({ live: true });
    id = await records(performer, 3, 100_000);
    bytes = readFileSync(await fileOf(id));
  });
  const get = (range?: string): Promise<Film> => asks(performer, getRecordingFile, { id }, range);

  it('is sent whole, to its owner only, and not cached', async () => {
    const whole = await get();
    expect(whole).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'video/mp4',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store',
        'content-length': String(bytes.length),
      },
    });
    expect(whole.headers).not.toHaveProperty('content-disposition');
    expect(whole.body.equals(bytes)).toBe(true);
  });

  it('is sent in byte ranges (RFC 9110 §14)', async () => {
    const last = bytes.length - 1;
    const cases: [string, number, number][] = [
      ['bytes=0-', 0, last],
      ['bytes=0-1', 0, 1],
      ['bytes=100-99999', 100, 99_999],
      [`bytes=${last}-`, last, last],
      ['bytes=-10', last - 9, last],
      [`bytes=5-${last + 50}`, 5, last],
    ];
    for (const [range, from, to] of cases) {
      const part = await get(range);
      expect([range, part.status, part.headers['content-range']])
        .toEqual([range, 206, `bytes ${from}-${to}/${bytes.length}`]);
      expect(part.body.equals(bytes.subarray(from, to + 1)), range).toBe(true);
    }
    for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
      const part = await get(range);
      expect([part.status, part.headers['content-range'], part.body.length])
        .toEqual([416, `bytes */${bytes.length}`, 0]);
    }
    for (const range of ['bytes=9-1', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-', '0-5', 'bytes=0-0\tx']) {
      const whole = await get(range);
      expect([range, whole.status, whole.body.length]).toEqual([range, 200, bytes.length]);
    }
  });

  it('is sent at most 8 MB at a time, in ranges that fit together', async () => {
    const long = await records(performer, 20, MIB);
    const whole = readFileSync(await fileOf(long));
    const first = await asks(performer, getRecordingFile, { id: long });
    expect([first.status, first.body.length]).toEqual([206, MAX_RESPONSE_BYTES]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 0) {
      const piece = await asks(performer, getRecordingFile, { id: long }, `bytes=${at}-`);
      expect(piece.body.length).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
      pieces.push(piece.body);
    }
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  });

  it('is downloaded under a name with its start time', async () => {
    const saved = await asks(performer, getRecordingFile, { id, download: '1' });
    const name = String(saved.headers['content-disposition']);
    expect(name).toMatch(/^attachment; filename="recording-2026-01-15-12-\d\d-\d\d\.mp4"$/);
  });

  it('is refused to viewers, guests, admins and other performers', async () => {
    const other = await site.performer();
    const outside = [await site.viewer(), await site.admin()];
    for (const who of outside) {
      expect((await asks(who, getRecordingFile, { id })).status).toBe(403);
      expect((await who.refused(deleteRecording, { id })).status).toBe(403);
    }
    expect((await asks(await site.visitor(), getRecordingFile, { id })).status).toBe(401);
    expect((await asks(other, getRecordingFile, { id })).status).toBe(404);
    expect((await other.refused(deleteRecording, { id })).errorType).toBe('recording_unknown');
    expect((await other.refused(setOfflineVideo, { recording_id: id })).errorType).toBe('recording_unknown');
    expect((await other.call(listRecordings, {})).recordings).toEqual([]);
    expect((await get()).status).toBe(200);
  });

  it('is refused across operators, whatever its id', async () => {
    const hosts = ['recordings.example'];
    const scope = await site.services.site.addOperator('Other', {
      displayName: 'Other',
      sitecode: 'other',
      hosts,
      mainDomainUrl: 'https://recordings.example',
    });
    const seen = await site.data.tx(
      scope,
      (tx) => sql`select from recordings.recordings where id = ${id}`.execute(tx.sql()),
    );
    expect(seen.rows).toEqual([]);
    const elsewhere = await site.anotherTabOf(performer, { host: 'localhost' });
    const response = await elsewhere.request({
      url: requestOf(getRecordingFile, { id }).path,
      headers: { host: 'recordings.example' },
    });
    expect(response.statusCode).toBe(401);
  });

  it('is addressed only by its id', async () => {
    const base = requestOf(getRecordingFile, { id: 1 }).path.replace('/1/', '/{}/');
    const tricks = [
      '..%2F..%2Fetc%2Fpasswd',
      '%2e%2e',
      '..',
      '0',
      '-1',
      `${id}%00`,
      `${id}.0.1`,
      '1e3',
      'NaN',
      '9007199254740993',
      `${id}%2F..%2F${id}`,
      'null',
      '',
      `${id} or 1=1`,
    ];
    for (const trick of tricks) {
      const { statusCode, headers } = await performer.request({ url: base.replace('{}', trick) });
      expect([trick, statusCode >= 400]).toEqual([trick, true]);
      expect([trick, headers['content-type']]).not.toEqual([trick, 'video/mp4']);
    }
    expect((await asks(performer, getRecordingFile, { id: 9_000_000_000 })).status).toBe(404);
  });

  it('needs the page\'s CSRF token to be deleted', async () => {
    const { path } = requestOf(deleteRecording, { id });
    const forged = await performer.request({ method: 'DELETE', url: path, headers: { 'x-csrf-token': 'x' } });
    expect(forged.statusCode).toBe(403);
    expect((await get()).status).toBe(200);
  });
});

describe('deleting', () => {
  it('deletes row and file at once', async () => {
    const performer = await site.performer({ live: true });
    const id = await records(performer, 2);
    const file = await fileOf(id);
    expect(existsSync(file)).toBe(true);
    expect(await performer.call(deleteRecording, { id })).toEqual({ status: 1 });
    expect(existsSync(file)).toBe(false);
    expect((await performer.call(listRecordings, {})).recordings).toEqual([]);
    expect((await asks(performer, getRecordingFile, { id })).status).toBe(404);
    expect((await performer.refused(deleteRecording, { id })).errorType).toBe('recording_unknown');
    const people = await site.tx((tx) =>
      sql`select from recordings.recording_people
      where recording_id = ${id}`.execute(tx.sql())
    );
    expect(people.rows).toEqual([]);
  });

  it('deletes a running recording, and leaves no file', async () => {
    const performer = await site.performer({ live: true });
    const { id } = await performer.call(startRecording, { consent: true });
    const file = await fileOf(id);
    site.outputs.film(await streamOf(performer), 2);
    await performer.call(deleteRecording, { id });
    await site.settle();
    expect([existsSync(file), site.outputs.recordings.length]).toEqual([false, 0]);
    expect(await performer.call(listRecordings, {})).toMatchObject({ running: null, recordings: [] });
    const again = await performer.call(startRecording, { consent: true });
    expect(again.id).toBeGreaterThan(id);
    await performer.call(stopRecording, {});
  });
});

describe('the list', () => {
  it('is paged, newest first', async () => {
    const performer = await site.performer({ live: true });
    const ids: number[] = [];
    for (let one = 0; one < RECORDINGS_PER_PAGE + 3; one += 1) ids.unshift(await records(performer, 1));
    const first = await performer.call(listRecordings, {});
    expect(first.recordings.map(({ id }) => id)).toEqual(ids.slice(0, RECORDINGS_PER_PAGE));
    expect(first.next).toBe(ids[RECORDINGS_PER_PAGE - 1]);
    const second = await performer.call(listRecordings, { before: first.next ?? 0 });
    expect(second.recordings.map(({ id }) => id)).toEqual(ids.slice(RECORDINGS_PER_PAGE));
    expect(second.next).toBeNull();
    const exact = await performer.call(listRecordings, { before: first.next ?? 0, limit: 3 });
    expect([exact.recordings.length, exact.next]).toEqual([3, null]);
    for (const limit of [0, 51, 1.5]) {
      expect((await performer.refused(listRecordings, { limit })).errorType).toBe('invalid_input');
    }
  });
});

interface RoomSettings {
  readonly userSetting: {
    readonly offlineVideo: OfflineVideoView;
    readonly public_recording: PublicRecordingView;
  };
}
/** Settings in the room data that a visitor receives. */
const settingsFor = async (who: Visitor, { username }: Member): Promise<RoomSettings['userSetting']> =>
  (await who.request({ url: `/api/v1/chat/react/${username}` })).json<RoomSettings>().userSetting;

describe('the offline video', () => {
  const chosen = async (performer: Member): Promise<OfflineVideoView> =>
    (await settingsFor(performer, performer)).offlineVideo;

  it('is a recording the performer chose, with its URL and size [B-158]', async () => {
    const performer = await site.performer({ live: true });
    const none = { videoUrl: null, videoWidth: null, videoHeight: null };
    expect(await chosen(performer)).toEqual(none);
    const [other, id] = [await records(performer, 3), await records(performer, 2)];
    const { id: running } = await performer.call(startRecording, { consent: true });
    expect((await performer.refused(setOfflineVideo, { recording_id: running })).errorType)
      .toBe('recording_unknown');
    await performer.call(setOfflineVideo, { recording_id: id });
    const offline = await chosen(performer);
    expect(offline).toEqual({
      videoUrl: `/offline-videos/${performer.username}?v=${id}`,
      videoWidth: 640,
      videoHeight: 360,
    });
    const { recordings } = await performer.call(listRecordings, {});
    expect(recordings.map((recording) => [recording.id, recording.isOfflineVideo]))
      .toEqual([[running, false], [id, true], [other, false]]);
    const video = await (await site.viewer()).request({ url: offline.videoUrl ?? '' });
    expect(video.rawPayload.equals(readFileSync(await fileOf(id)))).toBe(true);
    await performer.call(setOfflineVideo, { recording_id: other });
    const next = await chosen(performer);
    expect(next).toEqual({ ...offline, videoUrl: `/offline-videos/${performer.username}?v=${other}` });
    const shown = await (await site.viewer()).request({ url: next.videoUrl ?? '' });
    expect(shown.rawPayload.equals(readFileSync(await fileOf(other)))).toBe(true);
    await performer.call(deleteRecording, { id: other });
    expect(await chosen(performer)).toEqual(none);
    await performer.call(deleteRecording, { id: running });
  });

  it('is shown only to viewers who may perceive the performer', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(setOfflineVideo, { recording_id: await records(performer, 2) });
    const { username } = performer;
    const status = async (who: Visitor, range?: string): Promise<number> =>
      (await asks(who, getOfflineVideo, { username }, range)).status;
    const viewer = await site.viewer();
    expect([await status(viewer), await status(viewer, 'bytes=0-9')]).toEqual([200, 206]);
    expect(await status(viewer, 'bytes=999999999-')).toBe(416);
    expect(await status(await site.visitor())).toBe(404);
    expect(await status(await site.visitor({ ofAge: true }))).toBe(200);
    expect(await status(await site.visitor({ region: 'CH', ofAge: true }))).toBe(200);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['CH']));
    expect(await status(await site.visitor({ region: 'CH', ofAge: true }))).toBe(404);
    for (const [wrong, expected] of [
      ['nobody', 404],
      [viewer.username, 404],
      ['..%2f..', 404],
      ['%00', 422],
    ] as const) {
      expect((await viewer.request({ url: `/offline-videos/${wrong}` })).statusCode, wrong).toBe(expected);
    }
    const admin = await site.admin();
    await admin.call(decideClearance, { username, decision: 'revoke', reason: 'a test' });
    expect(await status(viewer)).toBe(404);
    await performer.call(setOfflineVideo, { recording_id: null });
    expect(await chosen(performer)).toMatchObject({ videoUrl: null });
  });
});

describe('recording of public shows by others', () => {
  const shown = async (performer: Member): Promise<PublicRecordingView> =>
    (await settingsFor(await site.visitor({ ofAge: true }), performer)).public_recording;

  it('has a switch, a price, and the end of the running recording [B-144]', async () => {
    const performer = await site.performer({ live: true });
    expect(await shown(performer)).toEqual({
      isEnabled: false,
      isRecording: false,
      pricePerMinuteInToken: 0,
      recordingEnd: null,
    });
    const set = await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 6 });
    expect(set).toMatchObject({ isEnabled: true, pricePerMinuteInToken: 6 });
    await performer.call(startRecording, { consent: true });
    const end = new Date(site.clock.now().getTime() + MAX_RECORDING_MS).toISOString();
    expect(await shown(performer)).toEqual({
      isEnabled: true,
      isRecording: true,
      pricePerMinuteInToken: 6,
      recordingEnd: end,
    });
    expect((await performer.call(listRecordings, {})).publicRecording).toEqual(await shown(performer));
    for (const pricePerMinuteInToken of [-1, 10_001, 1.5]) {
      const wrong = await performer.refused(setPublicRecording, { isEnabled: true, pricePerMinuteInToken });
      expect(wrong.errorType).toBe('invalid_input');
    }
    const wish = { isEnabled: true, pricePerMinuteInToken: 1 };
    expect((await (await site.viewer()).refused(setPublicRecording, wish)).status).toBe(403);
    await performer.call(setPublicRecording, { isEnabled: false, pricePerMinuteInToken: 8 });
    await performer.call(stopRecording, {});
    expect(await shown(performer)).toEqual({
      isEnabled: false,
      isRecording: false,
      pricePerMinuteInToken: 8,
      recordingEnd: null,
    });
  });

  it('is turned off when the broadcast ends, but not by an interruption [B-202]', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 9 });
    await performer.call(startRecording, { consent: true });
    const stream = await streamOf(performer);
    site.outputs.film(stream, 2);
    await site.passes(1_000);
    expect(await shown(performer)).toMatchObject({ isEnabled: true, isRecording: true });
    site.engine.drop(stream, 'silent');
    await site.settle();
    await site.passes(30_000 - 1);
    expect(await shown(performer)).toMatchObject({ isEnabled: true, pricePerMinuteInToken: 9 });
    await site.passes(1);
    const reset = { isEnabled: false, isRecording: false, pricePerMinuteInToken: 9, recordingEnd: null };
    expect(await shown(performer)).toEqual(reset);
    await performer.goesLive();
    expect(await shown(performer)).toEqual(reset);
    await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 9 });
    await performer.call(startRecording, { consent: true });
    expect(await shown(performer)).toMatchObject({ isEnabled: true, isRecording: true });
    await performer.call(endBroadcast, {});
    await site.settle();
    expect(await shown(performer)).toEqual(reset);
  });

  it('is not turned off by a late fact of the previous broadcast', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(endBroadcast, {});
    site.clock.advance(1_000);
    await performer.call(setPublicRecording, { isEnabled: true, pricePerMinuteInToken: 3 });
    await site.settle();
    expect((await shown(performer)).isEnabled).toBe(true);
  });
});

it('leaves no orphaned file', async () => {
  const { rows } = await site.tx((tx) =>
    sql<{ file: string }>`select file from recordings.recordings`.execute(tx.sql())
  );
  const files = readdirSync(join(site.folder, 'kept', '1'));
  expect(files.toSorted()).toEqual(rows.map(({ file }) => `${file}.mp4`).toSorted());
});

it('refuses everything to anyone but performers', async () => {
  const calls: [AnyCall, object][] = [
    [listRecordings, {}],
    [startRecording, { consent: true }],
    [stopRecording, {}],
    [startTest, {}],
    [setOfflineVideo, { recording_id: null }],
  ];
  for (const [call, input] of calls) {
    expect((await (await site.viewer()).refused(call, input)).status).toBe(403);
    expect((await (await site.visitor()).refused(call, input)).status).toBe(401);
  }
});

it('logs no errors', () => expect(site.log).toEqual([]));
