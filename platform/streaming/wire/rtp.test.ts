import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasMarker,
  isRtcp,
  isRtp,
  payloadStart,
  payloadTypeOf,
  rtpPacket,
  sequenceOf,
  ssrcOf,
  startsKeyframe,
  timestampOf,
} from './rtp.ts';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const header = fc.record({
  payloadType: fc.oneof(fc.integer({ min: 0, max: 63 }), fc.integer({ min: 96, max: 127 })),
  marker: fc.boolean(),
  sequence: fc.integer({ min: 0, max: 0xffff }),
  timestamp: uint32,
  ssrc: uint32,
});
const withPayload = (...payload: number[]): Buffer =>
  rtpPacket({ payloadType: 96, marker: false, sequence: 1, timestamp: 1, ssrc: 1 }, Buffer.from(payload));

describe('RTP packets', () => {
  it('read back as they were written', () => {
    fc.assert(fc.property(header, fc.uint8Array({ minLength: 1, maxLength: 64 }), (fields, payload) => {
      const packet = rtpPacket(fields, payload);
      expect(isRtp(packet)).toBe(true);
      expect(isRtcp(packet)).toBe(false);
      expect({
        payloadType: payloadTypeOf(packet),
        marker: hasMarker(packet),
        sequence: sequenceOf(packet),
        timestamp: timestampOf(packet),
        ssrc: ssrcOf(packet),
      }).toEqual(fields);
      expect(packet.subarray(payloadStart(packet))).toEqual(Buffer.from(payload));
    }));
  });

  it('never throw and never point outside, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80, size: 'max' }), (bytes) => {
        if (isRtp(bytes) && isRtcp(bytes)) throw new Error('both at once');
        if (!isRtp(bytes)) return;
        const at = payloadStart(bytes);
        expect(at === -1 || (at >= 12 && at < bytes.length)).toBe(true);
        startsKeyframe('H264', bytes);
        startsKeyframe('VP8', bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('separate RTP and RTCP on one port by the packet type (RFC 5761)', () => {
    expect(isRtcp(Buffer.from([0x80, 200, 0, 1, 0, 0, 0, 0]))).toBe(true);
    expect(isRtcp(Buffer.from([0x80, 200, 0, 1]))).toBe(false);
    expect(isRtp(Buffer.from([0x80, 200, ...Buffer.alloc(20)]))).toBe(false);
    expect(isRtp(Buffer.from([0x40, 96, ...Buffer.alloc(20)]))).toBe(false);
  });

  it.each([
    ['parameter sets', withPayload(0x67, 1), true],
    ['an IDR slice', withPayload(0x65, 1), true],
    ['another slice', withPayload(0x61, 1), false],
    ['an aggregate with parameter sets', withPayload(0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1), true],
    ['an aggregate without', withPayload(0x78, 0, 2, 0x61, 1), false],
    ['an aggregate that is cut short', withPayload(0x78, 0xff), false],
    ['the first fragment of an IDR slice', withPayload(0x7c, 0x85, 1), true],
    ['a later fragment of it', withPayload(0x7c, 0x05, 1), false],
    ['a fragment that is cut short', withPayload(0x7c), false],
  ])('H.264: %s', (_name, packet, begins) => {
    expect(startsKeyframe('H264', packet)).toBe(begins);
  });

  it.each([
    ['a key frame', withPayload(0x10, 0), true],
    ['a key frame behind a long picture id', withPayload(0x90, 0x80, 0x81, 0x01, 0), true],
    ['another frame', withPayload(0x10, 1), false],
    ['a later packet of a key frame', withPayload(0x00, 0), false],
    ['a later partition', withPayload(0x11, 0), false],
    ['a descriptor that is cut short', withPayload(0x90, 0x80), false],
  ])('VP8: %s', (_name, packet, begins) => {
    expect(startsKeyframe('VP8', packet)).toBe(begins);
  });

  it('finds the payload behind sources and an extension', () => {
    const packet = Buffer.concat([
      Buffer.from([0x92]),
      withPayload(1).subarray(1, 12),
      Buffer.alloc(8),
      Buffer.from([0xbe, 0xde, 0, 1, 1, 2, 3, 4]),
      Buffer.from([0x65, 1]),
    ]);
    expect(payloadStart(packet)).toBe(28);
    expect(startsKeyframe('H264', packet)).toBe(true);
  });
});
