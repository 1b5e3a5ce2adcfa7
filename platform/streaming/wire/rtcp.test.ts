import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readRtcp,
  shortNtp,
  writeBandwidth,
  writeGoodbye,
  writeKeyframeRequest,
  writeNack,
  writeReceiverReport,
  writeSenderReport,
} from './rtcp.ts';
import { isRtcp } from './rtp.ts';

const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const block = fc.record({
  ssrc: uint32,
  fractionLost: fc.integer({ min: 0, max: 255 }),
  packetsLost: fc.integer({ min: -0x800000, max: 0x7fffff }),
  highestSequence: uint32,
  jitter: uint32,
  lastSenderReport: uint32,
  sinceSenderReport: uint32,
});

describe('RTCP', () => {
  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120, size: 'max' }), (bytes) => {
        readRtcp(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never throws on well-formed packets that are cut, spliced and changed', () => {
    const parts = [
      writeKeyframeRequest(1, 2),
      writeNack(1, 2, [5, 6, 40]),
      writeBandwidth(1, 2e6, [2]),
      writeGoodbye(1),
      writeReceiverReport(1, [{
        ssrc: 1,
        fractionLost: 0,
        packetsLost: 0,
        highestSequence: 0,
        jitter: 0,
        lastSenderReport: 0,
        sinceSenderReport: 0,
      }]),
      writeSenderReport({ ssrc: 1, ntpSeconds: 1, ntpFraction: 2, timestamp: 3, packets: 4, octets: 5 }),
    ];
    const whole = Buffer.concat(parts);
    const at = fc.nat(whole.length - 1);
    fc.assert(
      fc.property(at, at, fc.nat(255), (cut, changed, value) => {
        const bytes = Buffer.from(whole);
        bytes[changed] = value;
        readRtcp(bytes.subarray(0, cut));
        readRtcp(bytes.subarray(cut));
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads back the reports it writes, negative loss included', () => {
    fc.assert(fc.property(fc.array(block, { maxLength: 31, size: 'max' }), (blocks) => {
      expect(readRtcp(writeReceiverReport(7, blocks))).toEqual([{ kind: 'report_blocks', blocks }]);
    }));
  });

  it('reads back a sender report, and its short time is the middle of the long one', () => {
    const counts = { packets: 2, octets: 3 };
    const report = { ...counts, ssrc: 9, ntpSeconds: 0x12345678, ntpFraction: 0x9abcdef0, timestamp: 1 };
    const [first] = readRtcp(writeSenderReport(report));
    expect(first).toEqual({ kind: 'sender_report', ...report });
    expect(shortNtp(report)).toBe(0x56789abc);
  });

  it('reads back the reason of a goodbye, and no more of it than came', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 255, size: 'max' }), (reason) => {
      expect(readRtcp(writeGoodbye(9, reason))).toEqual([{ kind: 'goodbye', reason }]);
    }));
    const lying = writeGoodbye(9, 'why');
    lying[8] = 255;
    expect(readRtcp(lying)).toEqual([{ kind: 'goodbye', reason: 'why' }]);
  });

  it('asks for exactly the packets it was given', () => {
    const sequences = fc.uniqueArray(fc.nat(400), { minLength: 1, maxLength: 100, size: 'max' });
    fc.assert(fc.property(sequences, fc.nat(0xffff), (offsets, start) => {
      const wanted = offsets.sort((a, b) => a - b).map((offset) => (start + offset) & 0xffff);
      const packet = writeNack(1, 2, wanted);
      expect(isRtcp(packet)).toBe(true);
      expect(readRtcp(packet)).toEqual([{ kind: 'nack', ssrc: 2, sequences: wanted }]);
    }));
  });

  it('skips a packet that claims to be longer than what came', () => {
    const lying = writeNack(1, 2, [5]);
    lying.writeUInt16BE(9, 2);
    expect(readRtcp(Buffer.concat([writeKeyframeRequest(1, 5), lying]))).toEqual([
      { kind: 'keyframe_request', ssrc: 5 },
    ]);
  });

  it('reads keyframe requests of both kinds', () => {
    const fir = Buffer.from([0x84, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 1, 0, 0, 0]);
    expect(readRtcp(Buffer.concat([writeKeyframeRequest(1, 5), fir]))).toEqual([
      { kind: 'keyframe_request', ssrc: 5 },
      { kind: 'keyframe_request', ssrc: 9 },
    ]);
  });

  it('writes a bandwidth within a two-hundred-thousandth of what was meant', () => {
    fc.assert(fc.property(fc.integer({ min: 1_000, max: 100_000_000 }), (bitsPerSecond) => {
      const packet = writeBandwidth(1, bitsPerSecond, [2]);
      const mantissa = ((packet[17]! & 3) << 16) | packet.readUInt16BE(18);
      const written = mantissa * 2 ** (packet[17]! >> 2);
      expect(written).toBeLessThanOrEqual(bitsPerSecond);
      expect(bitsPerSecond - written).toBeLessThanOrEqual(bitsPerSecond / 100_000);
    }));
  });
});
