import { VirtualClock } from '#platform/data/clock.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEYFRAME_SPACING_MS, MAX_RETRANSMITS_PER_SECOND } from '../limits.ts';
import { readRtcp } from '../wire/rtcp.ts';
import { isRtcp, rtpPacket, sequenceOf, ssrcOf, timestampOf } from '../wire/rtp.ts';
import { DROPPED, IncomingTrack } from './tracks/incoming-track.ts';
import { KeyframeRequests } from './tracks/keyframe-requests.ts';
import { LagGauge, TICK_MS } from './tracks/lag-gauge.ts';
import { keepHeader, OutgoingTrack } from './tracks/outgoing-track.ts';

const FRAME_TICKS = 3_000;
const FRAME_MS = 33;

function videoPacket(sequence: number, timestamp: number, key = false, ssrc = 1): Buffer {
  const header = { payloadType: 96, marker: true, sequence: sequence & 0xffff, timestamp, ssrc };
  return rtpPacket(header, Buffer.from([key ? 0x65 : 0x61, sequence & 0xff]));
}
const makeSource = (): IncomingTrack => new IncomingTrack({ kind: 'video', payloadType: 96, codec: 'H264' });

/** A viewer's track that copies its packets, as the native side does. */
function makeViewer(): { track: OutgoingTrack; sent: Buffer[] } {
  const sent: Buffer[] = [];
  const track = new OutgoingTrack({
    kind: 'video',
    payloadType: 108,
    ssrc: 77,
    firstSequence: 100,
    firstTimestamp: 1_000,
    sink: { send: (packet) => sent.push(Buffer.from(packet)) > 0 },
  });
  track.open = true;
  return { track, sent };
}

/** Sends one packet as a stream does: accept, forward to all, restore. */
function relay(
  source: IncomingTrack,
  packet: Buffer,
  nowMs: number,
  viewers: readonly OutgoingTrack[],
): void {
  const sequence = source.accept(packet, nowMs);
  if (sequence === DROPPED) return;
  const restore = keepHeader(packet);
  for (const viewer of viewers) viewer.forward(source, packet, sequence, timestampOf(packet), nowMs);
  restore();
}

function play(source: IncomingTrack, from: number, frames: number, viewers: readonly OutgoingTrack[]): void {
  for (let i = 0; i < frames; i++) {
    const packet = videoPacket(from + i, (from + i) * FRAME_TICKS, i % 10 === 0);
    relay(source, packet, i * FRAME_MS, viewers);
  }
}

describe('an incoming track', () => {
  it('takes every packet once and in extended numbers, however they are reordered and doubled', () => {
    const shuffled = fc.nat(0xffff).chain((start) =>
      fc.shuffledSubarray(Array.from({ length: 60 }, (_, i) => start + 60 + i), { minLength: 2 })
    );
    fc.assert(fc.property(shuffled, (sequences) => {
      const source = makeSource();
      const first = sequences[0]!;
      const taken = [...sequences, ...sequences].map((item) => source.accept(videoPacket(item, 1), 0));
      const expected = sequences.map((sequence) => (first & 0xffff) + sequence - first);
      expect(taken.slice(0, sequences.length)).toEqual(expected.map((item) => (item < 0 ? DROPPED : item)));
      expect(taken.slice(sequences.length).every((number) => number === DROPPED)).toBe(true);
    }));
  });

  it('never throws on bytes of any kind that look like RTP', () => {
    const junk = fc.array(fc.uint8Array({ minLength: 12, maxLength: 40 }), { maxLength: 40, size: 'max' });
    fc.assert(fc.property(junk, (packets) => {
      const source = makeSource();
      for (const [i, packet] of packets.entries()) source.accept(Buffer.from(packet), i);
      source.dueNacks(1_000);
      source.reportBlock(1_000);
      source.takePeriod();
    }));
  });

  it('asks for what is missing, again after a while, and forgets it when it came or is too late', () => {
    const source = makeSource();
    source.accept(videoPacket(65_534, 1), 0);
    source.accept(videoPacket(2, 2), 10);
    expect(source.dueNacks(15)).toEqual([]);
    expect(source.dueNacks(25)).toEqual([65_535, 0, 1]);
    expect(source.dueNacks(60)).toEqual([]);
    source.accept(videoPacket(0, 1), 70);
    expect(source.roundTripMs).toBe(45);
    expect(source.dueNacks(90)).toEqual([65_535, 1]);
    expect(source.dueNacks(1_100)).toEqual([]);
    expect(source.hasMissing).toBe(false);
  });

  it('reports loss and jitter as RFC 3550 counts them', () => {
    const source = makeSource();
    for (const i of [0, 1, 2, 3, 5, 6, 7, 9]) {
      source.accept(videoPacket(i, i * FRAME_TICKS), (i * FRAME_TICKS) / 90);
    }
    expect(source.reportBlock(400)).toMatchObject({
      ssrc: 1,
      fractionLost: Math.floor((2 * 256) / 10),
      packetsLost: 2,
      highestSequence: 9,
      jitter: 0,
    });
    expect(source.takePeriod()).toMatchObject({ expected: 10, lost: 2, frames: 8 });
  });

  it('keeps to its source while that is alive: another one cannot break in', () => {
    const source = makeSource();
    source.accept(videoPacket(1, 1), 0);
    expect(source.accept(videoPacket(2, 1, false, 9), 100)).toBe(DROPPED);
    source.accept(videoPacket(2, 1), 200);
    expect(source.accept(videoPacket(3, 1, false, 9), 3_000)).toBe(3);
    expect([source.ssrc, source.epoch]).toEqual([9, 2]);
  });

  it('accepts a sender that restarts its sequence numbers, at its second packet', () => {
    const source = makeSource();
    source.accept(videoPacket(40_000, 1), 0);
    expect(source.accept(videoPacket(10_000, 1), 1)).toBe(DROPPED);
    expect(source.accept(videoPacket(10_001, 1), 2)).toBe(65_536 + 10_001);
    expect(source.hasMissing).toBe(false);
  });
});

describe('a viewer’s track', () => {
  it('begins at a keyframe and carries the viewer’s own numbers, leaving the packet as it was', () => {
    const [source, { track, sent }] = [makeSource(), makeViewer()];
    relay(source, videoPacket(5, 0), 0, [track]);
    expect(sent).toHaveLength(0);
    const packet = videoPacket(6, FRAME_TICKS, true);
    relay(source, packet, 33, [track]);
    expect([sequenceOf(packet), timestampOf(packet), ssrcOf(packet)]).toEqual([6, FRAME_TICKS, 1]);
    expect([sequenceOf(sent[0]!), timestampOf(sent[0]!), ssrcOf(sent[0]!), sent[0]![1]! & 0x7f])
      .toEqual([101, 1_001, 77, 108]);
  });

  it('counts on without gap or step back over any row of publishers', () => {
    const publishers = fc.array(
      fc.record({ from: fc.nat(0xffff), frames: fc.integer({ min: 1, max: 40 }) }),
      { minLength: 1, maxLength: 5, size: 'max' },
    );
    fc.assert(fc.property(publishers, (rows) => {
      const { track, sent } = makeViewer();
      let nowMs = 0;
      for (const [ssrc, { from, frames }] of rows.entries()) {
        const source = makeSource();
        for (let i = 0; i < frames; i++, nowMs += FRAME_MS) {
          relay(source, videoPacket(from + i, i * FRAME_TICKS, i === 0, ssrc + 1), nowMs, [track]);
        }
        nowMs += 2_000;
      }
      const numbers = sent.map(sequenceOf);
      expect(numbers).toEqual(numbers.map((_, i) => (101 + i) & 0xffff));
      const times = sent.map(timestampOf);
      expect(times.every((time, i) => i === 0 || ((time - times[i - 1]!) >>> 0) < 0x80000000)).toBe(true);
      const spanMs = (times.at(-1)! - times[0]!) / 90;
      expect(Math.abs(spanMs - (nowMs - 2_000 - FRAME_MS))).toBeLessThan(20 * rows.length + 14);
    }));
  });

  it('sends again what the viewer misses, byte for byte, within its allowance', () => {
    const [source, { track, sent }] = [makeSource(), makeViewer()];
    play(source, 0, 50, [track]);
    const [first, again] = [sent.slice(), [110, 111, 140]];
    track.retransmit(again, 2_000);
    expect(sent.slice(50)).toEqual(again.map((own) => first[own - 101]!));
    track.retransmit([100, 151, 30_000], 2_000);
    expect(sent).toHaveLength(53);
    for (let i = 0; i < 2_000; i++) track.retransmit([120], 2_000);
    expect(sent.length - 50).toBe(MAX_RETRANSMITS_PER_SECOND);
    track.retransmit([120], 3_001);
    expect(sent.length - 50).toBe(MAX_RETRANSMITS_PER_SECOND + 1);
  });

  it('catches up with the running group of pictures at once, its newest frame on time', () => {
    const [source, early, late] = [makeSource(), makeViewer(), makeViewer()];
    play(source, 0, 26, [early.track]);
    expect(late.track.catchUp(source, 900)).toBe(true);
    const times = late.sent.map(timestampOf);
    expect(late.sent.map(sequenceOf)).toEqual([101, 102, 103, 104, 105, 106]);
    expect(times.slice(1).map((time, i) => time - times[i]!)).toEqual([90, 90, 90, 90, 90]);
    relay(source, videoPacket(26, 26 * FRAME_TICKS), 933, [late.track]);
    expect(timestampOf(late.sent.at(-1)!) - times.at(-1)!).toBe(FRAME_TICKS);
    late.track.retransmit([102], 950);
    expect(late.sent.at(-1)).toEqual(late.sent[1]);
  });

  it('does not catch up over a hole: a fresh keyframe is needed then', () => {
    const [source, { track, sent }] = [makeSource(), makeViewer()];
    for (const i of [0, 1, 3]) source.accept(videoPacket(i, i * FRAME_TICKS, i === 0), 0);
    expect(track.catchUp(source, 10)).toBe(false);
    expect(sent).toHaveLength(0);
    expect(track.keyframeWanted).toBe(true);
  });

  it('passes sender reports on in its own time, and says goodbye once', () => {
    const [source, { track, sent }] = [makeSource(), makeViewer()];
    play(source, 0, 3, [track]);
    const report = {
      kind: 'sender_report',
      ssrc: 1,
      ntpSeconds: 5,
      ntpFraction: 6,
      timestamp: 2 * FRAME_TICKS,
      packets: 9,
      octets: 9,
    } as const;
    track.report(source, report);
    const [received] = readRtcp(sent.at(-1)!);
    expect(received).toMatchObject({ ssrc: 77, ntpSeconds: 5, timestamp: timestampOf(sent[2]!), packets: 3 });
    track.sayGoodbye('why');
    track.sayGoodbye('again');
    const goodbyes = sent.filter(isRtcp).flatMap(readRtcp).filter((item) => item.kind === 'goodbye');
    expect(goodbyes).toHaveLength(1);
    // RFC 3550 §6.6: the length of the reason, the reason, and zeros up to the next 32 bits.
    expect(sent.at(-1)!.subarray(-12).toString('latin1')).toBe('\x81\xCB\0\x02\0\0\0M\x03why');
  });
});

describe('keyframe requests', () => {
  it('are spaced, however many ask, and repeated while anyone waits', () => {
    const clock = new VirtualClock();
    const sentAt: number[] = [];
    let waiting = true;
    const requests = new KeyframeRequests({
      clock,
      wanted: () => waiting,
      send: () => void sentAt.push(clock.now().getTime()),
    });
    for (let i = 0; i < 100; i++) {
      requests.ask();
      clock.advance(20);
    }
    const gaps = sentAt.slice(1).map((at, i) => at - sentAt[i]!);
    expect(sentAt.length).toBeGreaterThan(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(KEYFRAME_SPACING_MS);
    const asked = sentAt.length;
    clock.advance(5_000);
    expect(sentAt).toHaveLength(asked + 10);
    waiting = false;
    clock.advance(500);
    const before = sentAt.length;
    clock.advance(10_000);
    expect(sentAt).toHaveLength(before);
  });
});

describe('the lag gauge', () => {
  it('sees a loop that is late while it is late, and forgets it after some ticks', () => {
    const gauge = new LagGauge(0);
    expect(gauge.lagMs(TICK_MS)).toBe(0);
    expect(gauge.lagMs(TICK_MS + 900)).toBe(900);
    expect(gauge.tick(TICK_MS + 900)).toBe(900);
    let nowMs = TICK_MS + 900;
    for (let i = 0; i < 40; i++) gauge.tick(nowMs += TICK_MS);
    expect(gauge.lagMs(nowMs)).toBeLessThan(20);
  });
});
