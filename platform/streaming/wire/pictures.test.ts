import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { H264Depacketizer, type AccessUnit } from './codecs/depacketize-h264.ts';
import { codecName, parametersOf, readSequenceParameters } from './codecs/h264-parameters.ts';
import { readFrames, splitUnits, type H264Frame } from './codecs/h264.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import { payloadOf } from './payload.ts';
import { rtpPacket } from './rtp.ts';

const loops = fileURLToPath(new URL('../../../product/testkit/loops/', import.meta.url));
const loop = readFileSync(`${loops}candle.h264`);
const frames = readFrames(loop);
const KEYFRAME_EVERY = 30;

/** The packets of frames, with sequence numbers that start near the maximum and therefore wrap. */
function packetsOf(some: readonly H264Frame[], ssrc = 1): Buffer[] {
  let sequence = 65_500;
  return some.flatMap(({ payloads }, i) =>
    payloads.map((payload, at) =>
      rtpPacket({
        payloadType: 96,
        marker: at === payloads.length - 1,
        sequence: sequence++ & 0xffff,
        timestamp: (0xffff0000 + i * 6_000) >>> 0,
        ssrc,
      }, payload)
    )
  );
}

interface Read {
  readonly pictures: AccessUnit[];
  readonly damaged: () => number;
  readonly put: (packet: Buffer, nowMs?: number) => void;
  readonly jitter: JitterBuffer;
}

function reader(maxPackets = 64, maxWaitMs = 100): Read {
  const pictures: AccessUnit[] = [];
  let damaged = 0;
  const depacketizer = new H264Depacketizer((picture) => pictures.push(picture), () => damaged++);
  const jitter = new JitterBuffer({
    maxPackets,
    maxWaitMs,
    deliver: (packet, gap) => depacketizer.push(packet, gap),
  });
  return { pictures, damaged: () => damaged, jitter, put: (packet, nowMs = 0) => jitter.put(packet, nowMs) };
}

/** The frame number of a picture, from its timestamp. */
const numberOf = ({ timestamp }: AccessUnit): number => ((timestamp - 0xffff0000) >>> 0) / 6_000;
const unitsOf = (pictures: readonly AccessUnit[]): Buffer[] => pictures.flatMap(({ units }) => [...units]);
/** The loop's units that a depacketizer retains. */
const retained = splitUnits(loop).filter((unit) => [1, 5, 7, 8].includes(unit[0]! & 31));

describe('pictures out of packets', () => {
  it('are those that went in, with every unit, over the wrap of numbers and timestamps', () => {
    const { pictures, put, damaged } = reader();
    for (const packet of packetsOf(frames)) put(packet);
    expect(pictures.map(numberOf)).toEqual(frames.map((_, i) => i));
    expect(pictures.map(({ keyframe }) => keyframe)).toEqual(frames.map(({ keyframe }) => keyframe));
    expect(unitsOf(pictures)).toEqual(retained);
    expect(damaged()).toBe(0);
  });

  it('come in order when packets are shuffled within the bound and sent twice', () => {
    const window = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(window, fc.infiniteStream(fc.nat({ max: 39 })), (size, picks) => {
        const { pictures, put } = reader();
        const [first, ...rest] = packetsOf(frames.slice(0, 40));
        put(first!);
        for (let from = 0; from < rest.length; from += size) {
          const group = rest.slice(from, from + size);
          while (group.length > 0) {
            const packet = group.splice(picks.next().value! % group.length, 1)[0]!;
            put(packet);
            put(Buffer.from(packet));
          }
        }
        expect(unitsOf(pictures)).toEqual(retained.slice(0, unitsOf(pictures).length));
        expect(pictures).toHaveLength(40);
      }),
      { numRuns: 25 },
    );
  });

  it('stop at a loss until the next keyframe, wherever the loss is', () => {
    const packets = packetsOf(frames.slice(0, 91));
    const starts = frames.slice(0, 91).map(({ payloads }) => payloads.length);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: packets.length - 1 }), (lost) => {
        const { pictures, put, jitter, damaged } = reader();
        packets.forEach((packet, i) => i === lost || put(packet, i));
        jitter.advance(1e6);
        let before = 0;
        const frame = starts.findIndex((count) => (before += count) > lost);
        const nextKeyframe = Math.ceil((frame + 1) / KEYFRAME_EVERY) * KEYFRAME_EVERY;
        const expected = Array.from({ length: 91 }, (_, i) => i)
          .filter((i) => i < frame || (i >= nextKeyframe && i !== frame));
        expect(pictures.map(numberOf)).toEqual(expected);
        expect(damaged()).toBeGreaterThanOrEqual(91 - expected.length - 1);
      }),
      { numRuns: 300 },
    );
  });

  it('begin with a keyframe, and only one that is whole', () => {
    const { pictures, put } = reader();
    const packets = packetsOf(frames.slice(0, 31));
    // Joined in the middle of the first keyframe.
    for (const packet of packets.slice(2)) put(packet);
    expect(pictures.map(numberOf)).toEqual([30]);
  });

  it('include parameter sets that were marked as a picture of their own', () => {
    const { pictures, put } = reader();
    const payloads = [[0x67, 1], [0x68, 1], [0x65, 0x88, 1]];
    payloads.forEach((payload, sequence) =>
      put(rtpPacket({
        payloadType: 96,
        marker: true,
        sequence,
        timestamp: sequence < 2 ? 1 : 2,
        ssrc: 1,
      }, Buffer.from(payload)))
    );
    expect(pictures).toHaveLength(1);
    expect(unitsOf(pictures).map((unit) => unit[0]! & 31)).toEqual([7, 8, 5]);
  });

  it('are not whole without the marker, where the sender sets it: their end was never sent', () => {
    const { pictures, put, damaged } = reader();
    const send = (sequence: number, timestamp: number, marker: boolean, ...payload: number[]): void =>
      put(rtpPacket({ payloadType: 96, marker, sequence, timestamp, ssrc: 1 }, Buffer.from(payload)));
    send(0, 1, false, 0x65, 0x88);
    send(1, 2, false, 0x41, 0x88);
    expect(pictures.map(({ timestamp }) => timestamp)).toEqual([1]);
    send(2, 3, true, 0x41, 0x88);
    // Two slices, the second of them missing, followed by another source without a gap in the numbers.
    send(3, 4, false, 0x41, 0x88);
    send(4, 5, true, 0x41, 0x88);
    send(5, 6, true, 0x65, 0x88);
    expect(pictures.map(({ timestamp }) => timestamp)).toEqual([1, 2, 3, 6]);
    expect(damaged()).toBe(2);
  });

  it('leave out what RFC 6184 does not allow, and what is larger than any picture', () => {
    const units = (...payloads: readonly number[][]): number => {
      const { pictures, put } = reader();
      payloads.forEach((payload, sequence) =>
        put(rtpPacket({
          payloadType: 96,
          marker: sequence === payloads.length - 1,
          sequence,
          timestamp: 1,
          ssrc: 1,
        }, Buffer.from(payload)))
      );
      return pictures.length;
    };
    expect(units([0x65, 0x88])).toBe(1);
    expect(units([0x78, 0, 2, 0x65, 0x88])).toBe(1);
    expect(units([0x78, 0, 3, 0x65, 0x88])).toBe(0);
    expect(units([0x78, 0, 0, 0x65, 0x88])).toBe(0);
    expect(units([0x79, 0, 0, 0, 2, 0x65, 0x88])).toBe(0);
    expect(units([0x7c, 0x85, 0x88], [0x7c, 0x45, 0x88])).toBe(1);
    expect(units([0x7c, 0x85, 0x88], [0x65, 0x88])).toBe(0);
    expect(units([0x7c, 0x85, 0x88])).toBe(0);
    const { pictures, put, damaged } = reader();
    const fragment = (sequence: number, header: number): Buffer =>
      rtpPacket({
        payloadType: 96,
        marker: (header & 0x40) !== 0,
        sequence: sequence & 0xffff,
        timestamp: 1,
        ssrc: 1,
      }, Buffer.concat([Buffer.from([0x7c, header, 0x88]), Buffer.alloc(60_000)]));
    for (let i = 0; i < 100; i++) put(fragment(i, i === 0 ? 0x85 : i === 99 ? 0x45 : 0x05));
    expect([pictures.length, damaged()]).toEqual([0, 1]);
  });
});

describe('the jitter buffer', () => {
  const numbered = (sequence: number, ssrc = 1): Buffer =>
    rtpPacket({
      payloadType: 96,
      marker: true,
      sequence: sequence & 0xffff,
      timestamp: 0,
      ssrc,
    }, Buffer.of(1));
  const collect = (maxPackets: number, maxWaitMs: number): { seen: string[]; jitter: JitterBuffer } => {
    const seen: string[] = [];
    const jitter = new JitterBuffer({
      maxPackets,
      maxWaitMs,
      deliver: (packet, gap) => seen.push(`${gap ? '|' : ''}${packet.readUInt16BE(2)}`),
    });
    return { seen, jitter };
  };

  it('waits for a packet no longer than it may, and takes none twice', () => {
    const { seen, jitter } = collect(10, 100);
    for (const sequence of [5, 5, 7, 8]) jitter.put(numbered(sequence), 0);
    jitter.advance(99);
    expect(seen).toEqual(['|5']);
    jitter.advance(100);
    expect(seen).toEqual(['|5', '|7', '8']);
    jitter.put(numbered(6), 100);
    jitter.put(numbered(9), 100);
    expect(seen).toEqual(['|5', '|7', '8', '9']);
  });

  it('holds no more than it may', () => {
    const { seen, jitter } = collect(3, 1e9);
    for (const sequence of [0, 2, 4, 6, 8, 10]) {
      jitter.put(numbered(sequence), 0);
      expect(jitter.heldCount).toBeLessThanOrEqual(3);
    }
    expect(seen).toEqual(['|0', '|2', '|4']);
  });

  it('accepts a sender that restarts at its second packet, and another source at once', () => {
    const { seen, jitter } = collect(10, 100);
    for (const sequence of [30_000, 30_001, 100, 30_002, 200, 201, 202]) jitter.put(numbered(sequence), 0);
    expect(seen).toEqual(['|30000', '30001', '30002', '|201', '202']);
    jitter.put(numbered(7, 2), 0);
    expect(seen.at(-1)).toBe('|7');
  });
});

describe('the payload of a packet', () => {
  const padded = (padding: number, ...payload: number[]): Buffer => {
    const packet = rtpPacket(
      { payloadType: 96, marker: false, sequence: 1, timestamp: 1, ssrc: 1 },
      Buffer.from([...payload, ...Array.from({ length: Math.max(0, padding - 1) }, () => 0), padding]),
    );
    packet[0] = packet[0]! | 0x20;
    return packet;
  };

  it('ends where its padding begins (RFC 3550 §5.1)', () => {
    expect(payloadOf(padded(4, 1, 2, 3))).toEqual(Buffer.from([1, 2, 3]));
    expect(payloadOf(padded(4))).toBeNull();
    expect(payloadOf(padded(200, 1, 2, 3))?.length).toBe(3);
    const longer = padded(4, 1);
    longer[longer.length - 1] = 250;
    expect(payloadOf(longer)).toBeNull();
  });
});

describe('parameter sets', () => {
  it.each([
    ['67640028acd940780227e5ffc000c00104000003000400000300c83c60c658', 100, 1_920, 1_080, 1, 8],
    ['674d401feca02802ddff80018002080000030008000003019078c18cb0', 77, 1_280, 720, 1, 8],
    ['67f4001e919b281405ff13ff80018002080000030008000003019078b16cb0', 244, 640, 360, 3, 8],
    ['677a001eb6cd940d83de6fff014001ab1000000300100000030320f162d960', 122, 854, 480, 2, 10],
    ['6764001eacd940b422fd6022000003000200000300643e28532c', 100, 720, 540, 1, 8],
  ])('%s is read (x264, profiles and croppings)', (hex, profile, width, height, chroma, lumaBits) => {
    expect(readSequenceParameters(Buffer.from(hex, 'hex')))
      .toMatchObject({ profile, width, height, chroma, lumaBits });
  });

  it('of the loops are read, cached while they do not change, and named for players', () => {
    const first = parametersOf(retained, null)!;
    expect([first.width, first.height, codecName(first)]).toEqual([640, 360, 'avc1.42c01f']);
    expect(parametersOf(retained, first)).toBe(first);
    expect(parametersOf([retained.find((unit) => (unit[0]! & 31) === 5)!], first)).toBe(first);
    const other = Buffer.from('674d401feca02802ddff80018002080000030008000003019078c18cb0', 'hex');
    expect(parametersOf([other], first)).toMatchObject({ width: 1_280, pictures: first.pictures });
    expect(parametersOf([other], null)).toBeNull();
  });

  it('never throw, and never name a picture nobody can show, whatever the bytes', () => {
    const good = Buffer.from('67640028acd940780227e5ffc000c00104000003000400000300c83c60c658', 'hex');
    const bytes = fc.uint8Array({ maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(fc.nat({ max: good.length }), bytes, (at, tail) => {
        const read = readSequenceParameters(Buffer.concat([good.subarray(0, at), tail]));
        if (!read) return;
        expect(read.width).toBeGreaterThan(0);
        expect(Math.max(read.width, read.height)).toBeLessThanOrEqual(4_096);
        expect(read.height).toBeGreaterThan(0);
      }),
      { numRuns: 5_000 },
    );
  });
});
