import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Dice } from '../../conformance/network/dice.ts';
import { mutate } from '../../conformance/network/mutations.ts';
import { FRAME } from '../../local/frames.ts';
import { readFrames } from '../../wire/codecs/h264.ts';
import { opusTicks, readOpus } from '../../wire/files/ogg-opus.ts';
import { writeSenderReport } from '../../wire/rtcp.ts';
import { rtpPacket } from '../../wire/rtp.ts';
import { Segmenter } from '../hls/segmenter.ts';
import { MAX_SEGMENT_BYTES, MAX_SEGMENT_MS } from '../limits.ts';
import { JoinedTracks } from '../media/tracks/joined-tracks.ts';
import { SOUND_FRAME, type SoundCodec } from '../media/tracks/sound-track.ts';
import { Recorder } from '../recording/recorder.ts';
import { boxesOf, fragmentsOf, readFragment } from './read-fragment.ts';

const LOOPS = fileURLToPath(new URL('../../../../product/testkit/loops/', import.meta.url));
const START = 1_800_000_000_000;
/** After this many inputs a stretch of the loop is sent unchanged, to reach the states after it. */
const WHOLE_EVERY = 400;
const WHOLE_PACKETS = 150;
/** The longest segment: one that had begun when the publisher left is closed with its last picture. */
const LONGEST_MS = 2 * MAX_SEGMENT_MS + 1_000;
const LARGEST_BYTES = 2 * MAX_SEGMENT_BYTES;

interface Input {
  readonly type: number;
  readonly packet: Buffer;
}

export interface HostileCounts {
  readonly inputs: number;
  readonly pictures: number;
  readonly segments: number;
  readonly fragments: number;
}

/** The packets and sender reports of a loop, in order of time. */
function seeds(): Input[] {
  const frames = readFrames(readFileSync(`${LOOPS}candle.h264`));
  let sequence = 0;
  const video = frames.flatMap(({ payloads }, i) =>
    payloads.map((payload, at) => ({
      atMs: (i * 1_000) / 15,
      type: FRAME.video,
      packet: rtpPacket({
        payloadType: 96,
        marker: at === payloads.length - 1,
        sequence: sequence++ & 0xffff,
        timestamp: i * 6_000,
        ssrc: 1,
      }, payload),
    }))
  );
  const sound = readOpus(readFileSync(`${LOOPS}candle.opus`)).map(({ payload }, i) => ({
    atMs: i * 60,
    type: FRAME.audio,
    packet: rtpPacket({
      payloadType: 111,
      marker: false,
      sequence: i,
      timestamp: i * 2_880,
      ssrc: 2,
    }, payload),
  }));
  const reports = [0, 1, 2, 3].flatMap((i) =>
    [FRAME.videoReport, FRAME.audioReport].map((type) => ({
      atMs: i * 2_000,
      type,
      packet: writeSenderReport({
        ssrc: 1,
        ntpSeconds: 3_000 + 2 * i,
        ntpFraction: 0,
        packets: 0,
        octets: 0,
        timestamp: i * 2_000 * (type === FRAME.videoReport ? 90 : 48),
      }),
    }))
  );
  return [...video, ...sound, ...reports].sort((a, b) => a.atMs - b.atMs);
}

/** Silence of the duration that each packet states. */
const silentCodec: SoundCodec = {
  form: { config: Buffer.of(0x11, 0x90), channels: 2, bitsPerSecond: 128_000 },
  decode: (payload) => {
    const plane = new Float32Array(opusTicks(payload));
    return { planes: [plane, plane], length: plane.length };
  },
  encode: () => [Buffer.alloc(SOUND_FRAME / 64)],
};

/** Everything between the local socket and the files, fed with arbitrary packets. */
class Target {
  nowMs = START;
  pictures = 0;
  segments = 0;
  fragments = 0;
  readonly tracks: JoinedTracks;
  #recorded: Buffer[] = [];

  constructor() {
    const written = new Map<string, Buffer>();
    const segmenter = new Segmenter({
      form: silentCodec.form,
      makeId: () => String(this.segments),
      write: (name, bytes) => written.set(name, bytes),
      written: ({ name, durationMs, bytes }) => {
        readFragment(written.get(name)!);
        assert.ok(durationMs > 0 && durationMs <= LONGEST_MS, `a segment of ${durationMs} ms`);
        assert.ok(bytes <= LARGEST_BYTES, `a segment of ${bytes} bytes`);
        written.clear();
        this.segments += 1;
      },
    });
    const recorder = new Recorder({
      form: silentCodec.form,
      maxBytes: 1e12,
      maxMs: 1e12,
      full: () => undefined,
      append: (bytes) => this.#recorded.push(bytes),
    });
    this.tracks = new JoinedTracks({
      codec: silentCodec,
      keyframeWanted: () => undefined,
      picture: (picture) => {
        this.pictures += 1;
        assert.ok(Math.abs(picture.timeMs - this.nowMs) < 60_000, 'a picture of another time');
        segmenter.picture(picture);
        recorder.picture(picture);
      },
      sound: (frame) => {
        segmenter.sound(frame);
        recorder.sound(frame);
      },
      paused: () => {
        segmenter.close();
        recorder.flush();
      },
    });
  }

  /** Checks that what was recorded since the last call is well-formed. */
  check(): void {
    const file = Buffer.concat(this.#recorded);
    this.#recorded = [];
    boxesOf(file);
    for (const fragment of fragmentsOf(file)) {
      readFragment(fragment);
      this.fragments += 1;
    }
  }
}

/** Feeds mutated packets to everything made of streams; throws when an output misbehaves. */
export function feedHostilePackets(
  inputs: number,
  seed: number,
  progress: (done: number) => void = () => undefined,
): HostileCounts {
  const dice = new Dice(seed);
  const all = seeds();
  const packets = all.map(({ packet }) => packet);
  const target = new Target();
  let [at, sequence, timestamp] = [0, 0, 0];
  for (let done = 0; done < inputs; done++) {
    const { type, packet } = all[at++ % all.length]!;
    // The loop repeats for ever, with numbers that continue.
    if (at % all.length === 0) [sequence, timestamp] = [sequence + 1_000, timestamp + 900_000];
    const whole = done % WHOLE_EVERY < WHOLE_PACKETS;
    const given = whole ? Buffer.from(packet) : mutate(dice, packet, packets);
    if (given.length >= 8 && dice.below(20) > 0) {
      given.writeUInt16BE((given.readUInt16BE(2) + sequence) & 0xffff, 2);
      given.writeUInt32BE((given.readUInt32BE(4) + timestamp) >>> 0, 4);
    }
    target.nowMs += dice.below(50) === 0 ? dice.below(2_000) : dice.below(10);
    target.tracks.take(whole || dice.below(10) > 0 ? type : dice.below(256), given, target.nowMs);
    if (done % 5 === 0) target.tracks.advance(target.nowMs);
    if (done % 1_000 === 999) target.check();
    if (done % Math.ceil(inputs / 10) === 0) progress(done);
  }
  target.tracks.pause();
  target.check();
  return { inputs, pictures: target.pictures, segments: target.segments, fragments: target.fragments };
}
