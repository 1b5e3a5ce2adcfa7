import { requestOf } from '#platform/contract/client.ts';
import { memoryBlobs } from '#platform/data/blobs.ts';
import { readRecordedFile } from '#platform/streaming/wire/files/recorded-file.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { logout } from '#product/accounts/contract.ts';
import {
  broadcastHealth,
  broadcastStateChanged,
  getOwnBroadcast,
  getPlayback,
  makeBrowserKey,
  rotateStreamKey,
} from '#product/broadcast/contract.ts';
import { hlsIndex, hlsSegment } from '#product/broadcast/contract/hls.ts';
import { whipEnd } from '#product/broadcast/contract/webrtc.ts';
import { broadcastSlice } from '#product/broadcast/server.ts';
import { TestEngine } from '#product/testkit/media/engine.ts';
import { media, plays, publishes } from '#product/testkit/media/media-client.ts';
import { TestOutputs } from '#product/testkit/media/outputs.ts';
import { TestRtmp } from '#product/testkit/media/rtmp.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelTest, getTest, getTestClip, recordingsChanged, startTest } from './contract.ts';
import { MAX_TEST_BYTES, TEST_LIMIT_MS, TEST_RECORD_MS } from './rules.ts';
import { recordingsSlice } from './server.ts';

const SECONDS = TEST_RECORD_MS / 1_000;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const clips = (): string[] => {
  const folder = join(site.folder, 'tests', '1');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const stateOf = async (performer: Member): Promise<string> => (await performer.call(getTest, {})).state;
const encoderKeyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;

/** Publishes from a performer's page. Returns the stream. */
async function pageSends(performer: Member): Promise<string> {
  const { stream_key: key } = await performer.call(makeBrowserKey, {});
  return arrives((await publishes(performer, key)).status);
}
/** Publishes from an encoder over WHIP. Returns the stream. */
const encoderSends = async (encoder: Visitor, key: string): Promise<string> =>
  arrives((await publishes(encoder, key)).status);
async function arrives(status: number): Promise<string> {
  expect(status).toBe(201);
  site.engine.arrive();
  await site.settle();
  return site.engine.streams.at(-1) ?? '';
}
/** Lets the ten seconds of a test pass. */
async function recordingFiles(stream: string, seconds = SECONDS): Promise<void> {
  for (let second = 0; second < Math.min(seconds, 5); second += 1) site.engine.measure(stream);
  await site.settle();
  site.clock.advance(seconds * 1_000);
  site.outputs.film(stream, seconds);
  await site.settle();
}
const clipOf = (who: Visitor) => who.request({ url: requestOf(getTestClip, {}).path });

describe('a pre-show test', () => {
  it('records ten seconds of the page, rates and replays them, and cuts the page', async () => {
    const performer = await site.performer();
    expect(await performer.call(getTest, {})).toEqual({
      state: 'none',
      seconds: 0,
      advice: [],
      health: null,
      source: null,
      isSending: false,
    });
    expect(await performer.call(startTest, {})).toMatchObject({ state: 'waiting', isSending: false });
    const stream = await pageSends(performer);
    expect(await performer.call(getTest, {})).toMatchObject({
      state: 'recording',
      source: 'browser',
      seconds: 0,
    });
    expect(site.outputs.recordings.at(-1)?.options).toMatchObject({
      maxMs: TEST_RECORD_MS,
      maxBytes: MAX_TEST_BYTES,
    });
    site.clock.advance(4_500);
    expect((await performer.call(getTest, {})).seconds).toBe(4);
    for (const videoBitsPerSecond of [100_000, 300_000]) {
      site.engine.measure(stream, { videoBitsPerSecond, roundTripMs: 40, lossFraction: 0.01 });
    }
    site.outputs.film(stream, SECONDS);
    await site.settle();
    expect(await performer.call(getTest, {})).toEqual({
      state: 'ready',
      seconds: SECONDS,
      source: 'browser',
      isSending: false,
      advice: ['bitrate_low'],
      health: {
        stream: '',
        codec: 'H264',
        videoBitsPerSecond: 200_000,
        audioBitsPerSecond: 64_000,
        framesPerSecond: 30,
        lossFraction: 0.01,
        roundTripMs: 40,
        keyframeIntervalMs: 2_000,
        viewers: 0,
        trouble: null,
        bFrames: null,
        advice: ['bitrate_low'],
      },
    });
    expect(site.engine.streams).not.toContain(stream);
    const clip = await clipOf(performer);
    expect([clip.statusCode, clip.headers['cache-control']]).toEqual([200, 'private, no-store']);
    const [file = ''] = clips();
    const { durationMs } = await readRecordedFile(join(site.folder, 'tests', '1', file)) ?? {};
    expect(durationMs).toBe(TEST_RECORD_MS);
    const { path: url } = requestOf(getTestClip, {});
    const part = await performer.request({ url, headers: { range: 'bytes=0-1' } });
    expect([part.statusCode, part.rawPayload.length]).toEqual([206, 2]);
    // The same page can go on air afterwards.
    await pageSends(performer);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
    expect((await performer.refused(startTest, {})).errorType).toBe('already_live');
  });

  it('takes OBS over WHIP and RTMP, and keeps it hidden until it stops', async () => {
    for (const protocol of ['whip', 'rtmp'] as const) {
      const performer = await site.performer();
      const key = await encoderKeyOf(performer);
      const encoder = await site.visitor({ opened: false });
      await performer.call(startTest, {});
      const admitted = protocol === 'rtmp' ? await site.rtmp.publishes(key) : null;
      const stream = admitted ? await arrives(admitted.admitted ? 201 : 0) : await encoderSends(encoder, key);
      await recordingFiles(stream);
      const done = await performer.call(getTest, {});
      expect(done).toMatchObject({ state: 'ready', source: 'encoder', isSending: true, advice: [] });
      expect(site.engine.streams).toContain(stream);
      // Another test while OBS keeps sending.
      expect((await performer.call(startTest, {})).state).toBe('recording');
      expect(clips().length).toBeLessThanOrEqual(2);
      await recordingFiles(stream);
      expect(await stateOf(performer)).toBe('ready');
      // The clip expires; the encoder stays diverted.
      await site.passes(600_000);
      expect(await performer.call(getTest, {})).toMatchObject({ state: 'none', isSending: true });
      expect((await clipOf(performer)).statusCode).toBe(404);
      await site.passes(HOUR_MS);
      expect(site.engine.streams).toContain(stream);
      site.engine.drop(stream, 'ended');
      await site.settle();
      expect(await performer.call(getTest, {})).toMatchObject({ state: 'none', isSending: false });
      const onAir = await encoderSends(encoder, key);
      expect(onAir).not.toBe(stream);
      expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
    }
  });

  it('keeps a lost encoder diverted for half a minute', async () => {
    const performer = await site.performer();
    const key = await encoderKeyOf(performer);
    const encoder = await site.visitor({ opened: false });
    await performer.call(startTest, {});
    const stream = await encoderSends(encoder, key);
    await recordingFiles(stream);
    site.engine.drop(stream, 'silent');
    await site.settle();
    await site.passes(30_000 - 1_000);
    expect(await encoderSends(encoder, key)).toBe(stream);
    await site.passes(30_000);
    expect(site.engine.streams).toContain(stream);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('offline');
    site.engine.drop(stream, 'silent');
    await site.settle();
    await site.passes(30_000);
    await encoderSends(encoder, key);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
  });

  it('lets the encoder go on air when cancelled: it reconnects by itself', async () => {
    const performer = await site.performer();
    const key = await encoderKeyOf(performer);
    const encoder = await site.visitor({ opened: false });
    await performer.call(startTest, {});
    const stream = await encoderSends(encoder, key);
    await recordingFiles(stream);
    expect(await performer.call(cancelTest, {})).toEqual({ status: 1 });
    expect(site.engine.streams).not.toContain(stream);
    expect((await clipOf(performer)).statusCode).toBe(404);
    await encoderSends(encoder, key);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
    expect(await performer.call(cancelTest, {})).toEqual({ status: 1 });
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
  });

  it('reports B-frames while waiting, and records once they are gone', async () => {
    const performer = await site.performer();
    const key = await encoderKeyOf(performer);
    await performer.call(startTest, {});
    const admission = await site.rtmp.publishes(key);
    if (!admission.admitted) throw new Error(admission.reason);
    site.rtmp.report(admission.feed.session, 'b_frames');
    await site.settle();
    expect(await performer.call(getTest, {})).toMatchObject({
      state: 'waiting',
      source: 'encoder',
      isSending: true,
      advice: ['b_frames'],
    });
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('waiting');
    site.engine.measure(site.engine.streams.at(-1) ?? '');
    await site.settle();
    expect(await performer.call(getTest, {})).toMatchObject({ state: 'recording', advice: [] });
  });

  it('waits for playable video when only audio has arrived', async () => {
    const performer = await site.performer();
    await performer.call(startTest, {});
    const stream = await encoderSends(await site.visitor({ opened: false }), await encoderKeyOf(performer));
    expect(await stateOf(performer)).toBe('recording');
    site.engine.measure(stream, { videoBitsPerSecond: 0, framesPerSecond: 0, trouble: 'b_frames' });
    await site.settle();
    expect(await performer.call(getTest, {})).toMatchObject({ state: 'waiting', advice: ['b_frames'] });
    expect(site.outputs.recordings.filter((recording) => recording.stream === stream)).toEqual([]);
    site.engine.measure(stream);
    await site.settle();
    await recordingFiles(stream);
    expect(await performer.call(getTest, {})).toMatchObject({ state: 'ready', seconds: SECONDS, advice: [] });
  });

  it('fails when nobody publishes, when nothing is recorded, and when recording is unavailable', async () => {
    const [nobody, nothing, full] = [await site.performer(), await site.performer(), await site.performer()];
    await nobody.call(startTest, {});
    await site.passes(120_000 - 1);
    expect(await stateOf(nobody)).toBe('waiting');
    await site.passes(1);
    expect(await stateOf(nobody)).toBe('failed');
    await nobody.goesLive();
    expect((await nobody.call(getOwnBroadcast, {})).state).toBe('online');

    await nothing.call(startTest, {});
    const stream = await pageSends(nothing);
    await site.passes(TEST_LIMIT_MS);
    expect(await stateOf(nothing)).toBe('failed');
    expect([site.engine.streams.includes(stream), (await clipOf(nothing)).statusCode]).toEqual([false, 404]);

    await full.call(startTest, {});
    site.outputs.refuseWith('unsupported_codec');
    await pageSends(full);
    site.outputs.refuseWith(null);
    expect(await full.call(getTest, {})).toMatchObject({ state: 'failed', advice: ['video_codec'] });
    site.outputs.on = false;
    expect((await full.refused(startTest, {})).errorType).toBe('recording_unavailable');
    site.outputs.on = true;
    await site.passes(600_000);
    expect(await stateOf(full)).toBe('none');
    const uncleared = await site.performer({ cleared: false });
    expect((await uncleared.refused(startTest, {})).errorType).toBe('clearance_missing');
  });

  it('keeps the clip of a page that was closed, if it is long enough', async () => {
    for (const [seconds, state] of [[4, 'ready'], [1, 'failed']] as const) {
      const performer = await site.performer();
      await performer.call(startTest, {});
      const stream = await pageSends(performer);
      site.outputs.film(stream, seconds);
      site.engine.drop(stream, 'silent');
      await site.settle();
      expect(await performer.call(getTest, {})).toMatchObject({ state, isSending: false });
    }
  });

  it('stores its clip for ten minutes, or until the next test', async () => {
    // The clips of earlier tests have expired.
    await site.passes(600_000);
    const performer = await site.performer();
    const before = clips().length;
    for (let again = 0; again < 2; again += 1) {
      await performer.call(startTest, {});
      expect((await clipOf(performer)).statusCode).toBe(404);
      await recordingFiles(await pageSends(performer));
      expect((await clipOf(performer)).statusCode).toBe(200);
      expect(clips()).toHaveLength(before + 1);
    }
    await site.passes(600_000 - 1);
    expect(await stateOf(performer)).toBe('ready');
    await site.passes(1);
    expect([await stateOf(performer), clips().length]).toEqual(['none', before]);
  });
});

describe('a test is invisible to everybody else', () => {
  it('with no token, segment, thumbnail, event or row', async () => {
    const performer = await site.performer();
    const other = await site.performer();
    const viewer = await site.viewer();
    const room = await viewer.joins(performer);
    const tab = await site.socketOf(viewer);
    await performer.call(startTest, {});
    const stream = await pageSends(performer);
    site.engine.measure(stream);
    await site.settle();
    const { username } = performer;
    for (const who of [viewer, other, performer]) {
      for (const kind of ['webrtc', 'hls'] as const) {
        expect((await who.refused(getPlayback, { username, kind })).errorType).toBe('stream_offline');
      }
      const live = await site.performer({ live: true });
      const { token } = await who.call(getPlayback, { username: live.username });
      for (const stolen of [null, '', 'x', token]) {
        expect((await plays(who, stream, stolen)).code).toBe('playback_token_invalid');
      }
      const query = `?token=${encodeURIComponent(token)}`;
      expect((await media(who, hlsIndex, { stream }, { query })).status).toBeGreaterThanOrEqual(400);
      const segment = { stream, rendition: 'source', file: '0.m4s' };
      expect((await media(who, hlsSegment, segment, { query })).status).toBeGreaterThanOrEqual(400);
      for (const path of ['thumbs/t', 'previews']) {
        expect((await who.request({ url: `/${path}/${username}` })).statusCode).toBe(404);
      }
    }
    expect(site.outputs.watched).not.toContain(stream);
    await recordingFiles(stream);
    expect(await viewer.refused(getTestClip, {})).toMatchObject({ status: 403 });
    expect((await clipOf(other)).statusCode).toBe(404);
    expect((await clipOf(await site.visitor())).statusCode).toBe(401);
    expect(await other.call(getTest, {})).toMatchObject({ state: 'none' });
    for (const call of [startTest, getTest, cancelTest]) {
      expect((await viewer.refused(call, {})).status).toBe(403);
    }
    const names = [broadcastHealth.name, broadcastStateChanged.name, recordingsChanged.name];
    for (const socket of [room, tab]) {
      expect(socket.events.filter(({ name }) => names.includes(name))).toEqual([]);
      expect(JSON.stringify(socket.events)).not.toContain(stream);
    }
    const rows = await site.tx((tx) =>
      sql`select from broadcast.broadcasts
      where performer_id = ${performer.id}`.execute(tx.sql())
    );
    expect(rows.rows).toEqual([]);
  });
});

describe('a test ends', () => {
  it('with the log-in session that began it, and with suspension', async () => {
    const performer = await site.performer();
    const [tab, second] = [await site.anotherTabOf(performer), await site.anotherTabOf(performer)];
    await tab.call(startTest, {});
    const stream = await pageSends(tab);
    await second.call(logout, {});
    await site.settle();
    expect(await stateOf(performer)).toBe('recording');
    await tab.call(logout, {});
    await site.settle();
    expect([await stateOf(performer), site.engine.streams.includes(stream)]).toEqual(['none', false]);

    const out = await site.performer();
    await out.call(startTest, {});
    const other = await pageSends(out);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, out.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    await site.settle();
    expect(site.engine.streams).not.toContain(other);
    expect(site.outputs.recordings).toEqual([]);
  });

  it('when its publisher ends its session', async () => {
    const performer = await site.performer();
    const key = await encoderKeyOf(performer);
    const encoder = await site.visitor({ opened: false });
    await performer.call(startTest, {});
    const { session, status } = await publishes(encoder, key);
    const stream = await arrives(status);
    await recordingFiles(stream);
    expect((await media(encoder, whipEnd, { session }, { bearer: key })).status).toBe(200);
    await site.settle();
    await encoderSends(encoder, key);
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
  });
});

describe('after a restart', () => {
  it('diverted encoders are diverted again, and no clip is left', async () => {
    const performer = await site.performer();
    const key = await encoderKeyOf(performer);
    const encoder = await site.visitor({ opened: false });
    await performer.call(startTest, {});
    await recordingFiles(await encoderSends(encoder, key));
    expect(clips().length).toBeGreaterThan(0);

    const { accounts, compliance, site: sites } = site.services;
    const engine = new TestEngine();
    const outputs = new TestOutputs(engine, () => 0);
    const rtmp = new TestRtmp();
    const onError = (error: unknown): void => {
      throw error;
    };
    const broadcast = broadcastSlice({
      data: site.data,
      bus: site.data.bus,
      limits: site.data.limits,
      blobs: memoryBlobs(),
      accounts,
      compliance,
      site: sites,
      extensions: site.extensions,
      media: { engine, local: engine.local, outputs, rtmp },
      secret: 'the secret of a site that only tests ever see',
      ice: { servers: [], turn: null },
      rtmpPort: 1935,
      onError,
    });
    const recordings = recordingsSlice({
      data: site.data,
      site: sites,
      accounts,
      compliance,
      broadcast: broadcast.service,
      outputs,
      extensions: site.extensions,
      folder: site.folder,
      onError,
    });
    await broadcast.start?.();
    await recordings.start?.();
    expect(clips()).toEqual([]);
    const release = async (): Promise<void> => {
      const handling = recordings.deadlineHandlers?.find(({ kind }) => kind === 'recordings.testRelease');
      const key = String(performer.id);
      site.clock.advance(120_000);
      await handling?.handle({ operatorId: site.scope.operatorId, key, at: site.clock.now(), payload: null });
    };
    const broadcasts = (): Promise<unknown[]> =>
      site.tx(async (tx) => {
        const query = sql`select from broadcast.broadcasts where performer_id = ${performer.id}`;
        return (await query.execute(tx.sql())).rows;
      });
    // The encoder reconnects by itself, seconds after the server is back.
    expect((await rtmp.publishes(key)).admitted).toBe(true);
    engine.arrive();
    await broadcast.service.settled();
    await recordings.service.settled();
    expect([engine.streams.length, await broadcasts()]).toEqual([1, []]);
    await release();
    expect(engine.streams).toHaveLength(1);
    // It was stopped and started by hand, so it goes on air.
    engine.drop(engine.streams[0] ?? '', 'ended');
    await recordings.service.settled();
    expect((await rtmp.publishes(key)).admitted).toBe(true);
    expect(await broadcasts()).toHaveLength(1);
    await recordings.stop?.();
    await broadcast.stop?.();
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
