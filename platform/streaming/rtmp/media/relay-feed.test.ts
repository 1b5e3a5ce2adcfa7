import { systemClock, VirtualClock, type Clock } from '#platform/data/clock.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Watched } from '../../conformance/signals/watched.ts';
import type { LocalTicket } from '../../engine.ts';
import { FRAME, FrameReader, writeFrame } from '../../local/frames.ts';
import { readRtcp } from '../../wire/rtcp.ts';
import { writeSoundTag } from '../../wire/rtmp/flv.ts';
import { MESSAGE } from '../../wire/rtmp/rtmp-chunks.ts';
import { sequenceOf, startsKeyframe, timestampOf } from '../../wire/rtp.ts';
import { MAX_REATTACHMENTS, MAX_RETAINED_PACKETS, REATTACH_WAITS_MS, REPORT_PERIOD_MS } from '../limits.ts';
import { Publisher } from './publisher.ts';
import { RelayFeed } from './relay-feed.ts';
import type { SentPicture } from './tracks/picture-track.ts';

interface Taken {
  readonly session: string;
  readonly type: number;
  readonly payload: Buffer;
}

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0).toReversed()) close();
});

/** The relay's end of the local socket, for a test: it may close, stall, or read everything. */
class Relay {
  readonly seen = new Watched<readonly Taken[]>();
  readonly sockets: Socket[] = [];
  readonly #server: Server;
  readonly #path: string;
  /** Frames are read; false for a relay that is stuck. */
  reads = true;
  /** Whether every session is ended as soon as it begins. */
  ends = false;

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'relay-feed-'));
    this.#path = join(folder, 'socket');
    this.seen.set([]);
    this.#server = createServer((socket) => this.#meet(socket)).listen(this.#path);
    open.push(() => {
      for (const socket of this.sockets) socket.destroy();
      this.#server.close();
      rmSync(folder, { recursive: true, force: true });
    });
  }

  ticket(session: string): LocalTicket {
    return { session, socketPath: this.#path };
  }

  of(type: number, session?: string): Buffer[] {
    const all = this.seen.value!.filter((item) => item.type === type);
    const own = session === undefined ? all : all.filter((item) => item.session === session);
    return own.map(({ payload }) => payload);
  }

  #meet(socket: Socket): void {
    this.sockets.push(socket);
    let session = '';
    const frames = new FrameReader((type, payload) => {
      if (type === FRAME.hello) {
        session = payload.toString();
        const ready = { videoCodec: 'H264', videoPayloadType: 96, audioPayloadType: 111 };
        socket.write(writeFrame(FRAME.ready, Buffer.from(JSON.stringify(ready))));
        if (this.ends) socket.end();
        if (!this.reads) socket.pause();
      } else {
        this.seen.set([...this.seen.value!, { session, type, payload }]);
      }
    });
    socket.on('data', (chunk) => frames.push(chunk));
    socket.on('error', () => undefined);
  }
}

interface Fed {
  readonly feed: RelayFeed;
  readonly relay: Relay;
  readonly asked: string[];
  readonly gone: Watched<string>;
}

function fed(options: { clock?: Clock; readmits?: boolean } = {}): Fed {
  const { clock = systemClock, readmits = true } = options;
  const relay = new Relay();
  const asked: string[] = [];
  const gone = new Watched<string>();
  const feed = new RelayFeed({
    clock,
    keyframe: () => undefined,
    gone: (reason) => gone.set(reason),
    readmit: (lost) => {
      asked.push(lost);
      return Promise.resolve(readmits ? relay.ticket(`again-${asked.length}`) : null);
    },
  });
  open.push(() => feed.close());
  return { feed, relay, asked, gone };
}

/** The n-th picture, with this many packets of a kilobyte. */
const picture = (n: number, keyframe: boolean, packets = 1): SentPicture => ({
  keyframe,
  payloads: Array.from({ length: packets }, (_, i) => ({
    payload: Buffer.concat([Buffer.from([i > 0 ? 0x41 : keyframe ? 0x65 : 0x41]), Buffer.alloc(1_000)]),
    ticks: n * 3_000,
    marker: i === packets - 1,
  })),
});
const sound = (n: number): { payload: Buffer; ticks: number; marker: false } => ({
  payload: Buffer.from([0xfc]),
  ticks: n * 960,
  marker: false,
});

describe('a publisher', () => {
  it('that lost its place for good opens no codec any more, not even for that last tag', async () => {
    const relay = new Relay();
    relay.ends = true;
    let decoders = 0;
    const atTheEnd: number[] = [];
    const publisher: Publisher = new Publisher({
      clock: systemClock,
      bFrames: 'refuse',
      transcoder: () => null,
      finished: () => undefined,
      trouble: () => undefined,
      readmit: () => Promise.resolve(relay.ticket('again')),
      gone: () => {
        atTheEnd.push(decoders);
        publisher.close();
      },
      sound: {
        decoder: () => {
          decoders += 1;
          return { decode: () => new Float32Array(), stretch: () => undefined, free: () => undefined };
        },
        encoder: { encode: () => [], free: () => undefined },
      },
    });
    await publisher.attach(relay.ticket('first'));
    const payload = writeSoundTag('config', Buffer.from('1190', 'hex'));
    while (atTheEnd.length === 0) {
      publisher.take({ type: MESSAGE.audio, stream: 1, timestamp: 0, payload });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(decoders).toBeGreaterThan(0);
    expect(atTheEnd).toEqual([decoders]);
  });
});

describe('the way into a relay', () => {
  it('begins each track with a report, and goes on with reports of both', async () => {
    const clock = new VirtualClock();
    const { feed, relay } = fed({ clock });
    expect(await feed.attach(relay.ticket('first'))).toBe(true);
    feed.mark(0);
    feed.picture(picture(0, true));
    feed.sound(sound(0));
    await relay.seen.until('media', (all) => all.length === 4);
    expect(relay.seen.value!.map(({ type }) => type))
      .toEqual([FRAME.videoReport, FRAME.video, FRAME.audioReport, FRAME.audio]);
    clock.advance(REPORT_PERIOD_MS);
    await relay.seen.until('more reports', (all) => all.length === 6);
    const reports = [FRAME.videoReport, FRAME.audioReport].map((type) => relay.of(type).at(-1)!);
    const [video, audio] = reports.map((report) => readRtcp(report)[0]);
    if (video?.kind !== 'sender_report' || audio?.kind !== 'sender_report') throw new Error('no reports');
    // One second of the wall clock is one second of either track, right from the first packets.
    expect([audio.ntpSeconds, audio.ntpFraction]).toEqual([video.ntpSeconds, video.ntpFraction]);
    expect((video.timestamp - timestampOf(relay.of(FRAME.video)[0]!)) >>> 0).toBe(90_000);
    expect((audio.timestamp - timestampOf(relay.of(FRAME.audio)[0]!)) >>> 0).toBe(48_000);
  });

  it('that is stuck loses pictures, and goes on from a keyframe', async () => {
    const { feed, relay } = fed();
    relay.reads = false;
    await feed.attach(relay.ticket('first'));
    let sent = 0;
    for (; sent < 120; sent++) feed.picture(picture(sent, sent === 0, 100));
    relay.reads = true;
    for (const socket of relay.sockets) socket.resume();
    // Packets arrive in order: with an audio packet that got in, everything before it has arrived.
    for (let n = 0; relay.of(FRAME.audio).length === 0; n++) {
      feed.sound(sound(n));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const taken = relay.of(FRAME.video).length;
    expect(taken).toBeLessThan(sent * 100);
    feed.picture(picture(200, false));
    feed.picture(picture(201, true));
    feed.picture(picture(202, false));
    await relay.seen.until('pictures', () => relay.of(FRAME.video).length === taken + 2);
    const video = relay.of(FRAME.video);
    expect(video.slice(-2).map((packet) => startsKeyframe('H264', packet))).toEqual([true, false]);
    const numbers = video.map(sequenceOf);
    expect(numbers.every((item, i) => i === 0 || item === ((numbers[i - 1] ?? 0) + 1) % 0x1_0000)).toBe(true);
  });

  it('is looked for again with the next tag, and begins with the running group of pictures', async () => {
    const { feed, relay, asked } = fed();
    await feed.attach(relay.ticket('first'));
    feed.trouble('audio_codec');
    for (let n = 0; n < 6; n++) feed.picture(picture(n, n % 4 === 0));
    await relay.seen.until('six pictures', () => relay.of(FRAME.video).length === 6);
    relay.sockets[0]!.destroy();
    for (let n = 6; asked.length === 0; n++) {
      feed.mark(n);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await relay.seen.until('the group again', () => relay.of(FRAME.video, 'again-1').length === 2);
    expect(asked).toEqual(['first']);
    expect(feed.session).toBe('again-1');
    const again = relay.of(FRAME.video, 'again-1');
    expect(again.map((packet) => startsKeyframe('H264', packet))).toEqual([true, false]);
    expect(relay.of(FRAME.trouble, 'again-1').map(String)).toEqual(['"audio_codec"']);
  });

  it('forgets a group that is too long to keep, and waits for the next keyframe', async () => {
    const { feed, relay } = fed();
    feed.picture(picture(0, true, MAX_RETAINED_PACKETS + 1));
    await feed.attach(relay.ticket('late'));
    feed.picture(picture(1, false));
    feed.picture(picture(2, true));
    await relay.seen.until('the keyframe', () => relay.of(FRAME.video).length > 0);
    expect(relay.of(FRAME.video)).toHaveLength(1);
  });

  it('is given up after some attempts', async () => {
    const clock = new VirtualClock();
    const { feed, asked, gone } = fed({ clock, readmits: false });
    feed.mark(0);
    while (gone.value === null) {
      clock.advance(Math.max(...REATTACH_WAITS_MS));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(gone.value).toBe('The stream has ended.');
    expect(asked).toHaveLength(REATTACH_WAITS_MS.length);
  });

  it('is left to somebody else who takes it away again and again', async () => {
    const { feed, relay, asked, gone } = fed();
    relay.ends = true;
    await feed.attach(relay.ticket('first'));
    for (let n = 0; gone.value === null; n++) {
      feed.mark(n);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(gone.value).toBe('Somebody else publishes here.');
    expect(asked).toHaveLength(MAX_REATTACHMENTS);
  });

  it('that is gone is reported as such', async () => {
    const { feed } = fed();
    expect(await feed.attach({ session: 'gone', socketPath: join(tmpdir(), 'no-such-relay') })).toBe(false);
  });
});
