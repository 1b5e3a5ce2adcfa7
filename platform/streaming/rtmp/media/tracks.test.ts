import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinPicture, unitType, writeAvcConfig } from '../../wire/codecs/avc-config.ts';
import { readRtcp, type SenderReport } from '../../wire/rtcp.ts';
import { writeSoundTag, writeVideoTag } from '../../wire/rtmp/flv.ts';
import { hasMarker, sequenceOf, timestampOf } from '../../wire/rtp.ts';
import type { BFramePolicy } from '../ingest.ts';
import { CLEAN_PICTURES, HELD_PICTURES, MAX_PAUSE_MS } from '../limits.ts';
import {
  PictureTrack,
  type Picture,
  type SentPicture,
  type Transcoder,
  type TranscoderEvents,
} from './tracks/picture-track.ts';
import { ReorderWatch } from './tracks/reorder-watch.ts';
import { RtpTrack, type TimedPayload } from './tracks/rtp-track.ts';
import { OPUS_TICKS } from './tracks/sound-codec.ts';
import { SoundTrack } from './tracks/sound-track.ts';
import { Timeline } from './tracks/timeline.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

describe('the line of time', () => {
  it('follows both tracks, around the end of 32 bits', () => {
    const track = fc.constantFrom('video' as const, 'audio' as const);
    const step = fc.tuple(track, fc.integer({ min: 0, max: 900 }));
    fc.assert(fc.property(fc.integer({ min: 0, max: 0xffffffff }), fc.array(step), (first, steps) => {
      const line = new Timeline();
      const began = line.place('video', first, 0);
      let at = 0;
      for (const [track, step] of steps) {
        at += step;
        expect(line.place(track, (first + at) >>> 0, 0)).toBe(began + at);
      }
    }));
  });

  it('goes on after a jump, where time is, with both tracks in step as before', () => {
    const line = new Timeline();
    line.place('video', 1_000, 0);
    line.place('audio', 1_010, 10);
    line.place('video', 2_000, 1_000);
    // The encoder restarts its clock; tags of both tracks are mixed around the jump.
    const jumped = line.place('video', 5_000_000, 1_500);
    expect(jumped).toBeGreaterThanOrEqual(1_001);
    expect(jumped).toBeLessThanOrEqual(1_500);
    expect(line.place('audio', 1_040, 1_500)).toBeLessThan(jumped);
    expect(line.place('audio', 5_000_020, 1_520)).toBe(jumped + 20);
    expect(line.place('video', 5_000_033, 1_533)).toBe(jumped + 33);
  });

  it('never goes back at a jump, whatever the encoder writes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: 2, maxLength: 30 }),
        (stamps) => {
          const line = new Timeline();
          let last = -1;
          for (const stamp of stamps) {
            const ms = line.place('video', stamp, 0);
            expect(ms).toBeGreaterThan(last - 1_001);
            last = Math.max(last, ms);
          }
        },
      ),
    );
  });

  it('keeps a pause as a pause', () => {
    const line = new Timeline();
    const began = line.place('audio', 0, 0);
    expect(line.place('audio', MAX_PAUSE_MS, 0)).toBe(began + MAX_PAUSE_MS);
  });
});

describe('packets of a track', () => {
  it('are numbered without a gap; one that was not taken leaves its number to the next', () => {
    const track = new RtpTrack(90);
    const packets: Buffer[] = [];
    const payload: TimedPayload = { payload: hex('6588'), ticks: 900, marker: true };
    for (let i = 0; i < 40_000; i++) {
      const isTaken = i % 3 !== 0;
      const sent = track.send(payload, 96, (packet) => isTaken && packets.push(packet) > 0);
      expect(sent).toBe(isTaken);
    }
    packets.reduce((before, packet) => {
      expect((sequenceOf(packet) - sequenceOf(before)) & 0xffff).toBe(1);
      return packet;
    });
    expect(hasMarker(packets[0]!)).toBe(true);
  });

  it('are tied to the time of day by reports, before the beginning too', () => {
    const track = new RtpTrack(48);
    const stamps: number[] = [];
    for (const ticks of [-312, 48_000]) {
      track.send({ payload: hex('fc'), ticks, marker: false }, 111, (packet) => {
        stamps.push(timestampOf(packet));
        return true;
      });
    }
    expect((stamps[1]! - stamps[0]!) >>> 0).toBe(48_312);
    const [report] = readRtcp(track.report(1_000, 1_700_000_000_250)) as SenderReport[];
    expect(report).toMatchObject({
      timestamp: stamps[1],
      packets: 2,
      octets: 2,
      ntpSeconds: 1_700_000_000 + 2_208_988_800,
    });
    expect(report!.ntpFraction / 2 ** 32).toBeCloseTo(0.25, 6);
  });
});

describe('the watch for B-frames', () => {
  const verdicts = (
    pictures: readonly (readonly [shownMs: number, flags?: string])[],
    mayReorder = true,
  ): string[] => {
    const watch = new ReorderWatch();
    return pictures.map(([shownMs, flags = ''], i) =>
      watch.take({
        shownMs,
        compositionMs: shownMs - i * 33,
        keyframe: flags.includes('k'),
        bSlice: flags.includes('b'),
      }, mayReorder)
    );
  };

  it('is clear at once when the parameters rule them out', () => {
    expect(verdicts([[80, 'k'], [113]], false)).toEqual(['plain', 'plain']);
  });

  it('finds a constant offset plain after a few pictures', () => {
    const found = verdicts([[80, 'k'], [113], [146], [180], [213], [246]]);
    expect(found.indexOf('plain')).toBe(HELD_PICTURES - 1);
  });

  it('sees a picture shown before one that was sent earlier', () => {
    expect(verdicts([[67, 'k'], [167], [100]])).toEqual(['unclear', 'unclear', 'reordered']);
  });

  it('sees a B slice, even in order and against the parameters', () => {
    expect(verdicts([[0, 'k'], [33, 'b']], false)).toEqual(['plain', 'reordered']);
  });

  it('believes that they stopped after a whole group without any, at a keyframe', () => {
    const group = (from: number): [number, string?][] =>
      Array.from({ length: CLEAN_PICTURES }, (_, i) => [from + i * 33, i === 0 ? 'k' : '']);
    const found = verdicts([[0, 'k'], [99], [33, 'b'], ...group(200), [2_000, 'k'], [2_033]]);
    expect(found.lastIndexOf('reordered')).toBe(2 + CLEAN_PICTURES);
    expect(found.at(-1)).toBe('plain');
    const some = group(200).slice(0, 5);
    const again = verdicts([[0, 'k'], [33, 'b'], ...some, [400, 'b'], [2_000, 'k'], [2_033]]);
    expect(again.at(-1)).toBe('reordered');
  });
});

const SETS = {
  plain: [hex('6742c01ed900a02ff970110000030001000003003c0f162e48'), hex('68cb83cb20')],
  reordering: [hex('67640028acd940780227e5c044000003000400000300f03c60c658'), hex('68ebe3cb22c0')],
  high10: [hex('676e001fa6cd9405005bb0110000030001000003003c0f183196'), hex('68ebe3cb22c0')],
} as const;
const [IDR, P, B] = [hex('65888402bf'), hex('419a236c42'), hex('019e417884')];
const configTag = (sets: keyof typeof SETS): Buffer =>
  writeVideoTag(true, 'config', 0, writeAvcConfig(SETS[sets][0], SETS[sets][1]));
const pictureTag = (compositionMs: number, ...units: Buffer[]): Buffer =>
  writeVideoTag(false, 'picture', compositionMs, joinPicture(units));

class Camera {
  readonly sent: SentPicture[] = [];
  readonly transcoded: Picture[] = [];
  readonly track: PictureTrack;
  transcoder: TranscoderEvents | null = null;
  transcodersLeft = 1;
  keyframesAsked = 0;
  #ms = 0;

  constructor(bFrames: BFramePolicy = 'refuse') {
    this.track = new PictureTrack({
      bFrames,
      send: (picture) => void this.sent.push(picture),
      transcoder: (events) => this.#open(events),
    });
  }

  /** Sends tags 33 ms apart. */
  takes(...tags: readonly Buffer[]): this {
    for (const tag of tags) this.track.take(tag, this.#ms += 33);
    return this;
  }

  shape(): [boolean, number[]][] {
    return this.sent.map((
      { keyframe, payloads },
    ) => [keyframe, payloads.map(({ payload }) => unitType(payload))]);
  }

  #open(events: TranscoderEvents): Transcoder | null {
    if (this.transcodersLeft === 0) return null;
    this.transcodersLeft -= 1;
    this.transcoder = events;
    return {
      push: (picture) => void this.transcoded.push(picture),
      requestKeyframe: () => void (this.keyframesAsked += 1),
      close: () => {
        this.transcoder = null;
      },
    };
  }
}

const times = (count: number, tag: Buffer): Buffer[] => Array.from({ length: count }, () => tag);

describe('pictures', () => {
  it('go on from a keyframe, with parameter sets before each of them', () => {
    const camera = new Camera().takes(
      pictureTag(0, IDR),
      configTag('plain'),
      pictureTag(0, P),
      pictureTag(0, hex('0910'), IDR, IDR),
      pictureTag(0, P),
      pictureTag(0, IDR),
    );
    expect(camera.shape()).toEqual([[true, [24, 5, 5]], [false, [1]], [true, [24, 5]]]);
    expect(camera.sent[0]!.payloads.map(({ marker }) => marker)).toEqual([false, false, true]);
    expect(camera.sent.map(({ payloads }) => payloads[0]!.ticks / 90)).toEqual([4, 5, 6].map((n) => n * 33));
    expect(camera.track.trouble).toBeNull();
  });

  it('take newer parameter sets out of the stream', () => {
    const newer = hex('68cb83cb21');
    const camera = new Camera().takes(configTag('plain'), pictureTag(0, IDR), pictureTag(0, newer, IDR));
    const head = camera.sent[1]!.payloads[0]!.payload;
    expect(head.includes(newer)).toBe(true);
    expect(head.includes(SETS.plain[0])).toBe(true);
    expect(head.includes(SETS.plain[1])).toBe(false);
  });

  it('wait for a keyframe after a broken one', () => {
    const broken = writeVideoTag(false, 'picture', 0, hex('000000ff41'));
    const camera = new Camera().takes(
      configTag('plain'),
      pictureTag(0, IDR),
      broken,
      pictureTag(0, P),
      pictureTag(0, IDR),
      pictureTag(0, P),
    );
    expect(camera.shape().map(([keyframe]) => keyframe)).toEqual([true, true, false]);
  });

  const both = ['plain', 'reordering'] as const;
  it.each(both)('of a clock that steps back never do so, nor are they B-frames: %s', (sets) => {
    const camera = new Camera().takes(configTag(sets), pictureTag(67, IDR));
    for (const ms of [100, 90, 90, 120, 150]) camera.track.take(pictureTag(67, P), ms);
    const ticks = camera.sent.map(({ payloads }) => payloads[0]!.ticks);
    expect(ticks).toHaveLength(6);
    expect(ticks.every((tick, i) => i === 0 || tick > ticks[i - 1]!)).toBe(true);
  });

  it('with B-frames are refused before any of them is shown', () => {
    const camera = new Camera().takes(
      configTag('reordering'),
      pictureTag(67, IDR),
      pictureTag(133, P),
      pictureTag(33, B),
      pictureTag(0, B),
      pictureTag(100, P),
    );
    expect(camera.sent).toEqual([]);
    expect(camera.track.trouble).toBe('b_frames');
  });

  it('go on when a whole group had no B-frame', () => {
    const camera = new Camera().takes(
      configTag('reordering'),
      pictureTag(67, IDR),
      pictureTag(133, P),
      pictureTag(33, B),
      pictureTag(0, IDR),
      ...times(CLEAN_PICTURES, pictureTag(0, P)),
    );
    expect(camera.track.trouble).toBe('b_frames');
    camera.takes(pictureTag(0, IDR), pictureTag(0, P));
    expect(camera.track.trouble).toBeNull();
    expect(camera.shape()).toEqual([[true, [24, 5]], [false, [1]]]);
  });

  it('that may have B-frames and have none come late by a few pictures and whole', () => {
    const others = times(8, pictureTag(67, P));
    const camera = new Camera().takes(configTag('reordering'), pictureTag(67, IDR), ...others);
    expect(camera.shape()).toHaveLength(9);
    expect(camera.track.trouble).toBeNull();
  });

  it('with B-frames are transcoded from the first on, in the policy that wants it', () => {
    const camera = new Camera('transcode').takes(
      configTag('reordering'),
      pictureTag(67, IDR),
      pictureTag(133, P),
      pictureTag(33, B),
      pictureTag(100, P),
    );
    expect(camera.track.trouble).toBeNull();
    expect(camera.transcoded.map(({ keyframe, shownMs }) => [keyframe, shownMs]))
      .toEqual([[true, 133], [false, 232], [false, 165], [false, 265]]);
    expect(camera.transcoded[0]!.parameters).toEqual(SETS.reordering);
    camera.transcoder!.picture([...SETS.plain, IDR], 133);
    camera.transcoder!.picture([P], 165);
    expect(camera.shape()).toEqual([[true, [24, 5]], [false, [1]]]);
    camera.track.requestKeyframe();
    expect(camera.keyframesAsked).toBe(1);
  });

  it('whose transcoder died get another one at a keyframe, or are copied from there on', () => {
    const camera = new Camera('transcode');
    camera.transcodersLeft = 2;
    camera.takes(configTag('reordering'), pictureTag(67, IDR), pictureTag(133, P), pictureTag(33, B));
    camera.transcoder!.gone();
    camera.takes(pictureTag(133, P), pictureTag(33, B));
    expect(camera.sent).toEqual([]);
    camera.takes(pictureTag(67, IDR), pictureTag(33, B));
    expect(camera.track).toMatchObject({ trouble: null, bFrames: 'transcoded' });
    camera.transcoder!.gone();
    camera.takes(pictureTag(33, B));
    expect(camera.sent).toEqual([]);
    camera.takes(pictureTag(67, IDR), pictureTag(133, P), pictureTag(33, B));
    expect(camera.track).toMatchObject({ trouble: null, bFrames: 'copied' });
    expect(camera.shape()).toEqual([[true, [24, 5]], [false, [1]], [false, [1]]]);
    // In decoding order, with presentation times: 100 ms forwards, then 67 ms back.
    const ticks = camera.sent.map(({ payloads }) => payloads[0]!.ticks);
    expect(ticks.map((tick) => tick - ticks[0]!)).toEqual([0, 99 * 90, 32 * 90]);
  });

  it.each([
    ['another codec', hex('1c01000000')],
    ['an enhanced codec', hex('906876633101')],
    ['ten bits', configTag('high10')],
    ['parameters that are none', writeVideoTag(true, 'config', 0, hex('0102'))],
  ])('of %s are reported as such, until there are better ones', (_name, tag) => {
    const camera = new Camera().takes(tag, pictureTag(0, IDR));
    expect(camera.track).toMatchObject({ trouble: 'video_codec', hasBegun: true });
    expect(camera.sent).toEqual([]);
    camera.takes(configTag('plain'), pictureTag(0, IDR));
    expect(camera.track.trouble).toBeNull();
    expect(camera.sent).toHaveLength(1);
  });
});

/** Decodes every frame to this many samples of a steady tone, and records how it is asked to stretch. */
class Microphone {
  readonly sent: TimedPayload[] = [];
  readonly stretched: number[] = [];
  readonly track: SoundTrack;
  freed = 0;
  samplesPerFrame = 1_024;
  #pending = 0;

  constructor() {
    this.track = new SoundTrack({
      decoder: () => ({
        decode: () => this.#decode(),
        stretch: (ticks) => {
          this.stretched.push(ticks);
          this.#pending += ticks;
        },
        free: () => void (this.freed += 1),
      }),
      encoder: {
        encode: (samples, ticks) => [{ payload: Buffer.from([samples.some(Boolean) ? 1 : 0]), ticks }],
        free: () => void (this.freed += 1),
      },
      send: (payload) => void this.sent.push(payload),
    });
    this.track.take(writeSoundTag('config', hex('1190')), 0);
  }

  takes(...atMs: readonly number[]): this {
    for (const ms of atMs) this.track.take(writeSoundTag('frame', hex('21')), ms);
    return this;
  }

  ticks(): number[] {
    return this.sent.map(({ ticks }) => ticks);
  }

  /** Spreads a stretch over the frames of a second, as the resampler does. */
  #decode(): Float32Array {
    const step = Math.trunc(this.#pending / 47);
    this.#pending -= step;
    return new Float32Array(2 * (this.samplesPerFrame + step)).fill(0.5);
  }
}

/** Each packet begins where the one before it ends. */
const isUnbroken = (ticks: readonly number[]): boolean =>
  ticks.every((tick, i) => i === 0 || tick === (ticks[i - 1] ?? 0) + OPUS_TICKS);

describe('sound', () => {
  const frames = (count: number, from = 0, frameMs = 1_024 / 48): number[] =>
    Array.from({ length: count }, (_, i) => Math.round(from + i * frameMs));

  it('becomes packets of 20 ms in one unbroken row, whatever the rounding of its tags', () => {
    const microphone = new Microphone().takes(...frames(200, 500));
    const ticks = microphone.ticks();
    expect(ticks[0]).toBe(500 * 48);
    expect(isUnbroken(ticks)).toBe(true);
    expect(microphone.stretched).toEqual([]);
    expect(microphone.sent.every(({ payload }) => payload[0] === 1)).toBe(true);
  });

  it('that runs slower or faster than its tags is stretched back to them', () => {
    for (const samples of [1_022, 1_026]) {
      const microphone = new Microphone();
      microphone.samplesPerFrame = samples;
      microphone.takes(...frames(3_000));
      const endMs = microphone.ticks().at(-1)! / 48 + 20;
      const meantMs = frames(3_000).at(-1)! + 1_024 / 48;
      expect(Math.abs(endMs - meantMs)).toBeLessThan(40);
      expect(microphone.stretched.length).toBeGreaterThan(3);
      expect(microphone.stretched.every((item) => Math.sign(item) === Math.sign(1_024 - samples))).toBe(true);
    }
  });

  it('with a short gap is filled with silence, so that what follows is in time', () => {
    const microphone = new Microphone().takes(...frames(20), ...frames(20, 727));
    const silent = microphone.sent.filter(({ payload }) => payload[0] === 0);
    expect(silent.length * 20).toBeGreaterThan(240);
    expect(silent.length * 20).toBeLessThan(320);
    const ticks = microphone.ticks();
    expect(isUnbroken(ticks)).toBe(true);
    expect(Math.abs(ticks.at(-1)! / 48 + 20 - frames(21, 727).at(-1)!)).toBeLessThan(21);
  });

  it('with a long gap jumps to its tag', () => {
    const microphone = new Microphone().takes(...frames(10), ...frames(10, 5_000));
    expect(microphone.ticks()).toContain(5_000 * 48);
    expect(microphone.sent.length).toBeLessThan(24);
  });

  it('that comes twice is left out', () => {
    const microphone = new Microphone().takes(...frames(40), ...frames(20, 400));
    const ticks = microphone.ticks();
    expect(isUnbroken(ticks)).toBe(true);
    expect(ticks.at(-1)! / 48).toBeLessThan(frames(41).at(-1)!);
  });

  it.each([
    ['another codec', hex('2fff')],
    ['AAC nobody decodes', writeSoundTag('config', hex('0a10'))],
  ])('of %s is reported as such, until there is a better one', (_name, tag) => {
    const microphone = new Microphone();
    microphone.track.take(tag, 0);
    expect(microphone.track.isForeign).toBe(true);
    microphone.track.take(writeSoundTag('config', hex('1190')), 0);
    expect(microphone.track.isForeign).toBe(false);
    expect(microphone.takes(...frames(3)).sent.length).toBeGreaterThan(1);
  });

  it('frees its codecs once each', () => {
    const microphone = new Microphone().takes(0);
    microphone.track.take(writeSoundTag('config', hex('1210')), 0);
    microphone.track.close();
    expect(microphone.freed).toBe(3);
  });
});
