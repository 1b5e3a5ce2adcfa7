import { describe, expect, it } from 'vitest';
import { KEYFRAME_SPACING_MS } from '../../limits.ts';
import type { VideoCodec } from '../../wire/rtp.ts';
import type { Stream } from './stream.ts';
import { Stage, type TestedPublisher } from './testing.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
/** A keyframe in several packets: parameter sets and slice fragments; parts of one VP8 partition. */
const KEYFRAMES: Record<VideoCodec, readonly Buffer[]> = {
  H264: [hex('1800026742000268ce'), hex('7c8588'), hex('7c0588'), hex('7c4588')],
  VP8: [hex('90808001109d012a'), hex('80808001ff'), hex('80808001fe'), hex('80808001fd')],
};
/** Another frame, at which no decoder can begin. */
const OTHERS: Record<VideoCodec, Buffer> = { H264: hex('6188'), VP8: hex('9080800111') };

describe.each(['H264', 'VP8'] as const)('a keyframe of several packets, in %s', (codec) => {
  const key = KEYFRAMES[codec];
  const live = (): { stage: Stage; stream: Stream; source: TestedPublisher } => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher(codec)];
    stream.publish(source.publisher);
    return { stage, stream, source };
  };
  const playedOf = (got: readonly Buffer[]): { payloads: Buffer[]; numbers: number[]; times: number } => {
    const video = got.filter((packet) => (packet[1]! & 0x7f) === 108)
      .toSorted((a, b) => a.readUInt16BE(2) - b.readUInt16BE(2));
    return {
      payloads: video.map((packet) => packet.subarray(12)),
      numbers: video.map((packet) => packet.readUInt16BE(2)),
      times: new Set(video.map((packet) => packet.readUInt32BE(4))).size,
    };
  };

  it.each([1, 2, 3])('is whole for whoever comes after %i of them', (passed) => {
    const { stage, stream, source } = live();
    source.sendPackets(key, [0, 1, 2, 3].slice(0, passed));
    const { got, reader } = stage.reader(stream);
    source.sendPackets(key, [0, 1, 2, 3].slice(passed));
    const played = playedOf(got);
    expect(played).toEqual({ payloads: key, numbers: [1, 2, 3, 4], times: 1 });
    expect([reader.wantsKeyframe, source.wishes]).toEqual([false, 0]);
  });

  it('goes past a metered reader who comes in its middle, and another is asked for until it comes', () => {
    const { stage, stream, source } = live();
    source.sendPackets(key, [0, 1]);
    const { got, reader } = stage.reader(stream, true, true);
    source.sendPackets(key, [2, 3]);
    source.sendPackets([OTHERS[codec]], [0]);
    expect([playedOf(got).payloads, reader.wantsKeyframe]).toEqual([[], true]);
    stage.clock.advance(4 * KEYFRAME_SPACING_MS);
    expect(source.wishes).toBeGreaterThan(3);
    source.sendPackets(key, [0, 1, 2, 3]);
    expect([playedOf(got).payloads, reader.wantsKeyframe]).toEqual([key, false]);
  });

  it.each([
    ['who waits', true, [1, 2, 3, 0]],
    ['who waits, in the middle', true, [1, 2, 0, 3]],
    ['who comes then', false, [1, 2, 3, 0]],
  ])('whose first packet comes late is shown to a reader %s', (_who, isWaiting, order) => {
    const { stage, stream, source } = live();
    source.sendPackets([OTHERS[codec]], [0]);
    const early = isWaiting ? stage.reader(stream) : null;
    source.sendPackets(key, order);
    const { got, reader } = early ?? stage.reader(stream);
    const asked = source.wishes;
    source.sendPackets([OTHERS[codec]], [0]);
    expect(playedOf(got)).toEqual({
      payloads: [...key, OTHERS[codec]],
      numbers: [1, 2, 3, 4, 5],
      times: 2,
    });
    stage.clock.advance(4 * KEYFRAME_SPACING_MS);
    expect([reader.wantsKeyframe, source.wishes - asked]).toEqual([false, 0]);
  });

  it('whose first packet never comes begins nothing, and another is asked for', () => {
    const { stage, stream, source } = live();
    source.sendPackets([OTHERS[codec]], [0]);
    const { got, reader } = stage.reader(stream);
    source.sendPackets(key, [1, 2, 3]);
    const late = stage.reader(stream);
    source.sendPackets([OTHERS[codec]], [0]);
    expect([playedOf(got).payloads, playedOf(late.got).payloads]).toEqual([[], []]);
    stage.clock.advance(2 * KEYFRAME_SPACING_MS);
    expect([reader.wantsKeyframe, source.wishes > 1]).toEqual([true, true]);
  });
});
