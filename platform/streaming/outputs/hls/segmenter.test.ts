import { describe, expect, it } from 'vitest';
import { readSequenceParameters } from '../../wire/codecs/h264-parameters.ts';
import { SOUND_TRACK, VIDEO_TRACK } from '../../wire/files/fmp4.ts';
import { MAX_SEGMENT_MS } from '../limits.ts';
import type { Picture } from '../media/stream-reader.ts';
import { FRAME_MS, loopPictures, play, soundBetween } from '../trial/loop-pictures.ts';
import { inside, readFragment, type ReadTrack } from '../trial/read-fragment.ts';
import { Segmenter, type WrittenSegment } from './segmenter.ts';

const START = 1_800_000_000_000;

interface Cut {
  readonly segmenter: Segmenter;
  readonly segments: WrittenSegment[];
  readonly files: Map<string, Buffer>;
  readonly tracks: (segment: WrittenSegment) => { video: ReadTrack; sound: ReadTrack | undefined };
}

function cutting(): Cut {
  const segments: WrittenSegment[] = [];
  const files = new Map<string, Buffer>();
  let ids = 0;
  const segmenter = new Segmenter({
    form: { config: Buffer.of(0x11, 0x90), channels: 2, bitsPerSecond: 128_000 },
    makeId: () => `run${ids++}`,
    write: (name, bytes) => files.set(name, bytes),
    written: (segment) => segments.push(segment),
  });
  const tracks: Cut['tracks'] = ({ name }) => {
    const read = readFragment(files.get(name)!);
    return {
      video: read.find(({ track }) => track === VIDEO_TRACK)!,
      sound: read.find(({ track }) => track === SOUND_TRACK),
    };
  };
  return { segmenter, segments, files, tracks };
}

const later = (pictures: readonly Picture[], byMs: number): Picture[] =>
  pictures.map((picture) => ({ ...picture, timeMs: picture.timeMs + byMs }));
const onlyFirstKeyframe = (pictures: readonly Picture[]): Picture[] =>
  pictures.map((picture, i) => ({ ...picture, keyframe: i === 0 }));

describe('segments', () => {
  it('begin with keyframes, last one to two seconds, and go on in time without a hole', () => {
    const { segmenter, segments, tracks } = cutting();
    play(loopPictures('candle', START), soundBetween(START, START + 10_000), segmenter);
    segmenter.close();
    expect(segments).toHaveLength(5);
    let [videoEnd, soundEnd] = [0, 0];
    for (const [i, segment] of segments.entries()) {
      expect(Math.abs(segment.durationMs - 2_000)).toBeLessThan(1);
      expect(segment.beginsRun).toBe(i === 0);
      expect(Math.abs(segment.startsAt - START - i * 2_000)).toBeLessThanOrEqual(1);
      const { video, sound } = tracks(segment);
      expect(video.samples.map(({ keyframe }) => keyframe)).toEqual(video.samples.map((_, at) => at === 0));
      expect(video.decodeTime).toBe(videoEnd);
      expect(sound!.decodeTime).toBe(soundEnd);
      videoEnd += video.samples.reduce((sum, { duration }) => sum + duration, 0);
      soundEnd += sound!.samples.reduce((sum, { duration }) => sum + duration, 0);
    }
    expect(videoEnd).toBe(900_000);
    expect(segments.map(({ name }) => name)).toEqual([0, 1, 2, 3, 4].map((n) => `run0-${n}.m4s`));
  });

  it('end at the first keyframe after a second when keyframes come oftener, and never before', () => {
    const { segmenter, segments } = cutting();
    const pictures = loopPictures('candle', START)
      .map((picture, i) => ({ ...picture, keyframe: i % 6 === 0 }));
    play(pictures, [], segmenter);
    for (const { durationMs } of segments) expect(Math.abs(durationMs - 1_200)).toBeLessThan(1);
    expect(segments).toHaveLength(8);
  });

  it('end after four seconds where no keyframe comes, and go on in time', () => {
    const { segmenter, segments, tracks } = cutting();
    play(onlyFirstKeyframe(loopPictures('candle', START)), [], segmenter);
    const lengths = segments.map(({ durationMs }) => Math.round(durationMs));
    expect(lengths).toEqual([MAX_SEGMENT_MS, MAX_SEGMENT_MS]);
    expect(tracks(segments[1]!).video.decodeTime).toBe(MAX_SEGMENT_MS * 90);
    expect(tracks(segments[1]!).video.samples[0]!.keyframe).toBe(false);
  });

  it('need another initialisation segment when the parameter sets change, and say so', () => {
    const { segmenter, segments, files } = cutting();
    const first = loopPictures('candle', START);
    const sets = Buffer.from('674d401feca02802ddff80018002080000030008000003019078c18cb0', 'hex');
    const { pictures } = first[0]!.parameters;
    const parameters = { ...readSequenceParameters(sets)!, sequences: [sets], pictures };
    const second = later(first, 10_000).map((picture) => ({ ...picture, parameters }));
    play([...first, ...second], [], segmenter);
    const other = segments.findIndex(({ init }) => init !== segments[0]!.init);
    expect(other).toBe(5);
    expect(segments[other])
      .toMatchObject({ beginsRun: true, name: 'run1-0.m4s', codecs: 'avc1.4d401f,mp4a.40.2' });
    expect(segments.filter(({ beginsRun }) => beginsRun)).toHaveLength(2);
    expect(inside(files.get(segments[other]!.init)!, 'moov').includes(sets)).toBe(true);
    expect(inside(files.get(segments[0]!.init)!, 'moov').includes(sets)).toBe(false);
  });

  it('restart, with a keyframe, after a loss of the source or a jump of its clock', () => {
    const pictures = loopPictures('candle', START);
    const away = cutting();
    play([...pictures.slice(0, 40), ...later(pictures.slice(40), 7_000)], [], away.segmenter);
    expect(away.segments.map(({ beginsRun }) => beginsRun)).toEqual([true, false, true, false]);
    const [, tail, again] = away.segments;
    // 40 pictures: 30 in the first segment, 10 in the last; the next run begins with keyframe 60.
    expect(Math.abs(tail!.durationMs - 10 * FRAME_MS)).toBeLessThan(2);
    expect(Math.abs(again!.startsAt - START - 60 * FRAME_MS - 7_000)).toBeLessThanOrEqual(1);
    const jumping = cutting();
    play(pictures.map((picture, i) => ({ ...picture, jumped: i === 60 })), [], jumping.segmenter);
    expect(jumping.segments.map(({ beginsRun }) => beginsRun)).toEqual([true, false, true, false]);
    const closed = cutting();
    play(pictures.slice(0, 40), [], closed.segmenter);
    closed.segmenter.close();
    expect(closed.segments).toHaveLength(2);
  });

  it('leave sound out that is older than the first picture, and keep it where it belongs', () => {
    const { segmenter, segments, tracks } = cutting();
    play(loopPictures('candle', START), soundBetween(START - 1_000, START + 10_000), segmenter);
    const first = tracks(segments[0]!).sound!;
    expect(first.decodeTime / 48).toBeLessThan(22);
    expect(first.samples[0]!.data.toString()).toBe('sound 47');
  });

  it('show who changes his picture all the time once a second, and bound what is written', () => {
    const { segmenter, segments } = cutting();
    const [one, two] = [loopPictures('candle', START)[0]!, loopPictures('neon', START)[0]!];
    for (let i = 0; i < 150; i++) {
      segmenter.picture({ ...(i % 2 === 0 ? one : two), timeMs: START + i * FRAME_MS });
    }
    expect(segments.length).toBeLessThanOrEqual(11);
    const large = cutting();
    const huge = Buffer.concat([Buffer.from([0x41]), Buffer.alloc(1024 * 1024)]);
    for (const [i, picture] of loopPictures('candle', START).slice(0, 30).entries()) {
      large.segmenter.picture(i === 0 ? picture : { ...picture, units: [huge] });
    }
    for (const { bytes } of large.segments) expect(bytes).toBeLessThan(10 * 1024 * 1024);
    expect(large.segments).toHaveLength(3);
  });

  it('place pictures that come out of order one behind the other', () => {
    const { segmenter, segments, tracks } = cutting();
    const pictures = loopPictures('candle', START).map((picture, i) => ({
      ...picture,
      timeMs: picture.timeMs + (i % 3 === 1 ? 150 : 0),
    }));
    for (const picture of pictures) segmenter.picture(picture);
    for (const segment of segments) {
      for (const { duration } of tracks(segment).video.samples) expect(duration).toBeGreaterThan(0);
    }
  });
});
