import { systemClock } from '#platform/data/clock.ts';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freeUdpPort } from '../conformance/network/free-port.ts';
import { MediaProcess } from '../conformance/processes/media-process.ts';
import type { Signals } from '../conformance/processes/media-protocol.ts';
import { RtmpClient } from '../conformance/rtmp/rtmp-client.ts';
import { RtmpEncoder } from '../conformance/rtmp/rtmp-encoder.ts';
import type { SourceTag } from '../conformance/signals/flash-and-beep.ts';
import { StreamRecorder } from '../conformance/signals/stream-recorder.ts';
import { Watched } from '../conformance/signals/watched.ts';
import { World } from '../conformance/world.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../embedded/embedded-engine.ts';
import { EngineRefused } from '../engine.ts';
import { isBSlice } from '../wire/codecs/avc-config.ts';
import { splitUnits } from '../wire/codecs/h264.ts';
import { writeSoundTag } from '../wire/rtmp/flv.ts';
import { MESSAGE } from '../wire/rtmp/rtmp-chunks.ts';
import type { BFramePolicy, RtmpAdmission, RtmpAsked, RtmpReport } from './ingest.ts';
import { createRtmpIngest, type RunningRtmpIngest } from './rtmp-ingest.ts';

/** The program loads FFmpeg's library, and media runs in real time. */
const LONG = { timeout: 60_000 };
const SECONDS = 4;
const UNKNOWN: RtmpAdmission = { admitted: false, reason: 'This key is not known.' };
/** The requirement: audio and video at most this far apart. */
const MAX_SKEW_MS = 80;

/** A whole ingest on a real engine. A key consists of the policy and the stream, such as `refuse.room`. */
class Studio {
  readonly engine: EmbeddedEngine;
  readonly ingest: RunningRtmpIngest;
  readonly world: World;
  readonly asked = new Watched<readonly RtmpAsked[]>();
  readonly reports = new Watched<readonly RtmpReport[]>();
  /** Streams whose publisher was ended: a publisher that returns to them is refused. */
  readonly ended = new Set<string>();

  private constructor(engine: EmbeddedEngine, port: number, transcoders: number | undefined) {
    this.engine = engine;
    this.world = new World(engine, engine.local);
    this.ingest = createRtmpIngest({ port, bindAddress: '127.0.0.1', clock: systemClock, transcoders });
    this.asked.set([]);
    this.reports.set([]);
    this.ingest.onReport((report) => this.reports.set([...this.reports.value!, report]));
  }

  static async open(port = 0, transcoders?: number): Promise<Studio> {
    const engine = createEmbeddedEngine({ udpPort: await freeUdpPort(), bindAddress: '127.0.0.1' });
    await engine.start();
    const studio = new Studio(engine, port, transcoders);
    await studio.ingest.start((asked) => studio.#admit(asked));
    return studio;
  }

  get port(): number {
    return this.ingest.port()!;
  }

  async close(): Promise<void> {
    await this.ingest.close();
    await this.world.close();
    await this.engine.close();
  }

  async #admit(asked: RtmpAsked): Promise<RtmpAdmission> {
    this.asked.set([...this.asked.value!, asked]);
    const [policy, stream] = asked.key.split('.');
    if (policy === 'error') throw new Error('the database is away');
    if (stream === undefined || this.ended.has(stream)) return UNKNOWN;
    try {
      const feed = await this.engine.local.feed(stream, { owner: 'anna' });
      return { admitted: true, feed, bFrames: policy as BFramePolicy };
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error;
      return { admitted: false, reason: error.message };
    }
  }
}

let studio: Studio;
let plain: readonly SourceTag[];
let reordered: readonly SourceTag[];
const media = new MediaProcess();
const open: { close: () => void }[] = [];

beforeAll(async () => {
  plain = await media.source({ seconds: SECONDS });
  reordered = await media.source({ seconds: SECONDS, bFrames: 2, sampleRate: 48_000 });
  studio = await Studio.open();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(async () => {
  media.close();
  await studio.close();
});

async function encoder(key: string, tags: readonly SourceTag[] = plain): Promise<RtmpEncoder> {
  const made = await RtmpEncoder.publish({ port: studio.port, key, tags, seconds: SECONDS });
  open.push(made);
  return made;
}

/** Records until there is enough video and audio for at least two signals. */
async function record(stream: string): Promise<StreamRecorder> {
  await studio.world.reports.next('up', (report) => report.stream === stream);
  const recorder = await StreamRecorder.at(studio.engine.local, stream);
  open.push(recorder);
  await recorder.seen.until(
    'pictures and sound',
    ({ pictures, sounds, reports }) => pictures > 80 && sounds > 130 && reports === 2,
  );
  return recorder;
}

/** How far each beep is from its flash, in milliseconds; positive when the audio is late. */
function skews({ flashesMs, beepsMs }: Signals): number[] {
  return flashesMs.flatMap((flashMs) => {
    const beepMs = beepsMs.find((number) => Math.abs(number - flashMs) < 500);
    return beepMs === undefined ? [] : [beepMs - flashMs];
  });
}

describe('an encoder that publishes over RTMP', () => {
  it('reaches a viewer of its stream, video and audio [C-021]', LONG, async () => {
    await encoder('refuse.shown');
    await studio.world.reports.next('up', (report) => report.stream === 'shown');
    const reader = await studio.world.play(studio.world.peers(), 'shown');
    const view = await reader.seen.until('plays', (seen) => seen.videoPackets > 40 && seen.audioPackets > 40);
    expect(view).toMatchObject({ beganWithKeyframe: true, timeWentBack: 0, jumps: 0 });
    await studio.world.reports.next('health', ({ health }) =>
      health.stream === 'shown'
      && health.framesPerSecond >= 25 && health.audioBitsPerSecond > 10_000 && health.lossFraction === 0);
  });

  it.each(
    [
      ['without B-frames', 'refuse', 0],
      ['with as many as x264 makes by default', 'transcode', 3],
    ] as const,
  )(
    'may be FFmpeg itself, %s: a viewer gets video and audio [C-021]',
    LONG,
    async (_title, policy, bFrames) => {
      const stream = `ffmpeg-${policy}`;
      const ffmpeg = new MediaProcess();
      open.push(ffmpeg);
      const url = `rtmp://127.0.0.1:${studio.port}/live/${policy}.${stream}`;
      await ffmpeg.publish(url, { seconds: 50, bFrames });
      const { session } = await studio.world.reports.next('up', (report) => report.stream === stream);
      const reader = await studio.world.play(studio.world.peers(), stream);
      const view = await reader.seen.until(
        'plays',
        ({ videoPackets, audioPackets }) => videoPackets > 40 && audioPackets > 40,
      );
      // A late transcoder drops pictures: this only checks that some come.
      expect(view).toMatchObject({ beganWithKeyframe: true, timeWentBack: 0 });
      expect(await ffmpeg.finish()).toBeGreaterThan(80);
      const down = await studio.world.reports.next('down', (report) => report.session === session);
      expect(down.reason).toBe('finished');
      expect(
        studio.world.reports.all.filter((report) => report.kind === 'trouble' && report.session === session),
      ).toEqual([]);
    },
  );

  it('has picture and sound apart by no more than 80 ms', LONG, async () => {
    await encoder('refuse.in-step');
    const { pictures, sounds } = (await record('in-step')).recorded();
    const signals = await media.signals(pictures, sounds);
    const found = skews(signals);
    expect(found.length).toBeGreaterThan(1);
    expect(Math.max(...found.map(Math.abs)), `skews ${found.join(' ')}`).toBeLessThanOrEqual(MAX_SKEW_MS);
    expect(signals.pictures).toBe(pictures.length);
  });

  it('with B-frames is reported as unusable, and nothing of it goes on the air', LONG, async () => {
    await encoder('refuse.b-frames', reordered);
    const { session } = await studio.world.reports.next('trouble', (report) => report.stream === 'b-frames');
    await studio.reports.until(
      'trouble',
      (all) =>
        all.some((report) =>
          report.kind === 'trouble' && report.session === session && report.trouble === 'b_frames'
        ),
    );
    // After two more seconds, measured on another encoder, there is still nothing, not even audio.
    await encoder('refuse.beside');
    const seen = (): number =>
      studio.world.reports.all.filter((report) =>
        report.kind === 'health' && report.health.stream === 'beside'
      ).length;
    await studio.world.reports.next('health', ({ health }) => health.stream === 'beside' && seen() >= 2);
    expect(studio.world.reports.all.filter((report) => report.kind === 'up' && report.stream === 'b-frames'))
      .toEqual([]);
  });

  it('with B-frames is transcoded where that is wanted: no B-frame, no trouble, in step', LONG, async () => {
    await encoder('transcode.no-b-frames', reordered);
    const { pictures, sounds } = (await record('no-b-frames')).recorded();
    expect(pictures.flatMap(({ data }) => splitUnits(Buffer.from(data))).some(isBSlice)).toBe(false);
    const times = pictures.map(({ ms }) => ms);
    expect(times.every((ms, i) => i === 0 || ms > times[i - 1]!)).toBe(true);
    const found = skews(await media.signals(pictures, sounds));
    expect(found.length).toBeGreaterThan(1);
    expect(Math.max(...found.map(Math.abs)), `skews ${found.join(' ')}`).toBeLessThanOrEqual(MAX_SKEW_MS);
    const troubles = studio.world.reports.all.filter(({ kind }) => kind === 'trouble');
    expect(troubles.some((report) => 'stream' in report && report.stream === 'no-b-frames')).toBe(false);
  });

  it('with B-frames and no transcoder free is copied: for taps, not for peers', LONG, async () => {
    const full = await Studio.open(0, 0);
    open.push({ close: () => void full.close() });
    const made = await RtmpEncoder.publish({
      port: full.port,
      key: 'transcode.copied',
      tags: reordered,
      seconds: SECONDS,
    });
    open.push(made);
    await full.world.reports.next(
      'health',
      ({ health }) => health.bFrames === 'copied' && health.trouble === null && health.framesPerSecond >= 25,
    );
    await expect(full.world.play(full.world.peers(), 'copied')).rejects
      .toMatchObject({ code: 'unsupported_codec' });
    const recorder = await StreamRecorder.at(full.engine.local, 'copied');
    open.push(recorder);
    await recorder.seen.until('pictures', ({ pictures }) => pictures > 40);
    const { pictures } = recorder.recorded();
    expect(pictures.flatMap(({ data }) => splitUnits(Buffer.from(data))).some(isBSlice)).toBe(true);
    expect(full.world.reports.all.filter(({ kind }) => kind === 'trouble')).toEqual([]);
  });

  it('of a codec that cannot be shown is reported; sound alone is on air', LONG, async () => {
    const foreign = new RtmpClient(studio.port);
    const deaf = new RtmpClient(studio.port);
    open.push(foreign, deaf);
    await foreign.publish('refuse.foreign');
    await foreign.send(MESSAGE.video, 0, Buffer.from('906876633101', 'hex'));
    await studio.world.reports.next(
      'trouble',
      (report) => report.stream === 'foreign' && report.trouble === 'video_codec',
    );
    await deaf.publish('refuse.sound-alone');
    const sound = plain.filter(({ type }) => type === MESSAGE.audio);
    for (let round = 0; round < 2; round++) {
      const laterMs = round * SECONDS * 1_000;
      for (const { type, timestamp, payload } of sound) await deaf.send(type, timestamp + laterMs, payload);
    }
    await studio.world.reports.next('up', (report) => report.stream === 'sound-alone');
    await studio.world.reports.next('health', ({ health }) =>
      health.stream === 'sound-alone'
      && health.audioBitsPerSecond > 0 && health.videoBitsPerSecond === 0 && health.trouble === null);
    expect(
      studio.world.reports.all.some((report) => report.kind === 'trouble' && report.stream === 'sound-alone'),
    ).toBe(false);
    await foreign.send(MESSAGE.video, 0, plain.find(({ type }) => type === MESSAGE.video)!.payload);
    await foreign.send(MESSAGE.audio, 0, writeSoundTag('config', Buffer.from('0a10', 'hex')));
    const { length } = await studio.reports.until(
      'another trouble',
      (all) => all.some((report) => report.kind === 'trouble' && report.trouble === 'audio_codec'),
    );
    expect(length).toBeGreaterThan(2);
  });

  it('is over when its connection is, and gets the reason when its stream is ended', LONG, async () => {
    const first = await encoder('refuse.ended');
    const up = await studio.world.reports.next('up', (report) => report.stream === 'ended');
    first.close();
    const down = await studio.world.reports.next('down', (report) => report.session === up.session);
    expect(down.reason).toBe('ended');
    const second = await encoder('refuse.ended');
    await studio.world.reports.next(
      'up',
      (report) => report.stream === 'ended' && report.session !== up.session,
    );
    studio.ended.add('ended');
    await studio.engine.stop('ended');
    const { statuses } = await second.seen.until('closed', (view) => view.closed);
    expect(statuses.at(-1)).toMatchObject({ code: 'NetStream.Publish.BadName' });
    const { lost } = studio.asked.value!.findLast(({ key }) => key === 'refuse.ended')!;
    expect(lost).toBeDefined();
  });

  it('that means to stop while it has no relay is reported by the ingest', LONG, async () => {
    const stopping = await encoder('refuse.stopping');
    const { session } = await studio.world.reports.next('up', (report) => report.stream === 'stopping');
    // It is not admitted again.
    studio.ended.add('stopping');
    await studio.engine.stop('stopping');
    await studio.asked.until('asks again', (all) => all.some(({ lost }) => lost === session));
    stopping.finish();
    const all = await studio.reports.until(
      'finished',
      (seen) => seen.some(({ kind }) => kind === 'finished'),
    );
    expect(all.at(-1)).toEqual({ kind: 'finished', session, key: 'refuse.stopping' });
  });

  it('that comes again with its key replaces itself, and neither fights the other', LONG, async () => {
    const before = studio.asked.value!.length;
    const first = await encoder('refuse.twice');
    const up = await studio.world.reports.next('up', (report) => report.stream === 'twice');
    const second = await encoder('refuse.twice');
    const { statuses } = await first.seen.until('closed', (view) => view.closed);
    expect(statuses.at(-1)?.description).toBe('The same key is used by another connection.');
    await studio.world.reports.next(
      'up',
      (report) => report.stream === 'twice' && report.session !== up.session,
    );
    const down = await studio.world.reports.next('down', (report) => report.session === up.session);
    expect(down.reason).toBe('replaced');
    expect(second.seen.value!.closed).toBe(false);
    const asked = studio.asked.value!.slice(before).filter(({ key }) => key === 'refuse.twice');
    expect(asked.map(({ lost }) => lost)).toEqual([undefined, undefined]);
  });

  it('that is refused leaves the one on air with the same key alone', LONG, async () => {
    const first = await encoder('refuse.beside');
    const { session } = await studio.world.reports.next('up', (report) => report.stream === 'beside');
    const before = studio.world.reports.all.length;
    studio.ended.add('beside');
    await expect(encoder('refuse.beside')).rejects.toThrow('This key is not known.');
    await studio.world.reports.fresh(
      'health',
      ({ health }) => health.stream === 'beside' && health.videoBitsPerSecond > 0,
    );
    expect(first.seen.value!.closed).toBe(false);
    const since = studio.world.reports.all.slice(before);
    expect(since.some((report) => report.kind === 'down' && report.session === session)).toBe(false);
  });

  it('outlives its relay, and begins with a keyframe at the next', LONG, async () => {
    const staying = await encoder('refuse.survivor');
    const { session } = await studio.world.reports.next('up', (report) => report.stream === 'survivor');
    for (const pid of studio.engine.relayPids()) process.kill(pid, 'SIGKILL');
    const down = await studio.world.reports.next('down', (report) => report.session === session);
    expect(down.reason).toBe('relay_lost');
    const again = await studio.world.reports.next(
      'up',
      (report) => report.stream === 'survivor' && report.session !== session,
    );
    expect(studio.asked.value!.some(({ lost }) => lost === session)).toBe(true);
    const reader = await studio.world.play(studio.world.peers(), 'survivor');
    const view = await reader.seen.until('plays', (seen) => seen.videoPackets > 20 && seen.audioPackets > 10);
    expect(view.beganWithKeyframe).toBe(true);
    expect(staying.seen.value!.closed).toBe(false);
    expect(again.session).not.toBe(session);
  });

  it.each([
    ['a key nobody knows', 'unknown', 'This key is not known.'],
    ['a question that fails', 'error.room', 'The server is at fault. Try again.'],
  ])('is refused for %s, with a reason', async (_name, key, reason) => {
    await expect(encoder(key)).rejects.toThrow(reason);
    const ups = studio.world.reports.all.filter(({ kind }) => kind === 'up');
    expect(ups.some((report) => 'stream' in report && report.stream === key)).toBe(false);
  });
});

describe('the ingest program', () => {
  it('is started again when it dies, and encoders come back', LONG, async () => {
    const before = studio.ingest.pid()!;
    const lost = await encoder('refuse.killed');
    process.kill(before, 'SIGKILL');
    await lost.seen.until('closed', (view) => view.closed);
    while (studio.ingest.port() === undefined || studio.ingest.pid() === before) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await encoder('refuse.killed');
    const { session } = await studio.world.reports.next('up', (report) => report.stream === 'killed');
    expect(session).not.toBe('');
  });

  it('without its port is off, says why, and harms nobody', LONG, async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const ingest = createRtmpIngest({ port, bindAddress: '127.0.0.1', clock: systemClock });
    expect(ingest.features()).toEqual([{ name: 'RTMP ingest', on: false, detail: 'not started' }]);
    await ingest.start(() => Promise.resolve({ admitted: false, reason: '' }));
    const detail = `TCP port ${port} is taken`;
    expect(ingest.features()).toEqual([{ name: 'RTMP ingest', on: false, detail }]);
    await ingest.close();
    squatter.close();
    expect(studio.ingest.features()).toEqual([
      { name: 'RTMP ingest', on: true, detail: `rtmp://127.0.0.1:${studio.port}/live` },
    ]);
  });
});
