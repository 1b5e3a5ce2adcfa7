import { describe, expect, it } from 'vitest';
import { clockSkewMs, connectionAgeMs, NOTHING_SHOWN, playlistAgeMs, shownBy } from './latency.ts';

const stats = (emitted: number, waitSeconds: number) => [
  { type: 'codec' },
  { type: 'inbound-rtp', kind: 'audio', jitterBufferDelay: 90, jitterBufferEmittedCount: 3 },
  {
    type: 'inbound-rtp', kind: 'video', jitterBufferDelay: waitSeconds, jitterBufferEmittedCount: emitted,
    framesDecoded: emitted, totalDecodeTime: emitted * 0.005,
  },
  { type: 'candidate-pair', state: 'failed', currentRoundTripTime: 9 },
  { type: 'candidate-pair', state: 'succeeded', nominated: true, currentRoundTripTime: 0.04 },
];

describe('latency', () => {
  it('is half a round trip, the jitter buffer and the decoding, since the last count', () => {
    const first = stats(100, 10);
    expect(connectionAgeMs(first, NOTHING_SHOWN)).toBe(20 + 100 + 5);
    // A hundred more frames of 40 ms each: the slow start no longer counts.
    expect(connectionAgeMs(stats(200, 14), shownBy(first))).toBe(20 + 40 + 5);
  });

  it('is unknown before the first frame and while none arrive', () => {
    expect(connectionAgeMs([], NOTHING_SHOWN)).toBeNull();
    expect(connectionAgeMs(stats(100, 10), shownBy(stats(100, 10)))).toBeNull();
  });

  it('over HLS uses the server\'s clock where the device\'s is wrong', () => {
    const now = Date.parse('2026-01-15T12:00:10.000Z');
    const server = 'Thu, 15 Jan 2026 12:00:00 GMT';
    expect(clockSkewMs(server, now)).toBe(9_500);
    expect(playlistAgeMs(Date.parse('2026-01-15T11:59:56.500Z'), now, 9_500)).toBe(4_000);
    // A small difference is not corrected, because the header has whole seconds.
    expect(clockSkewMs(server, Date.parse('2026-01-15T12:00:01.400Z'))).toBe(0);
    expect(clockSkewMs(null, now)).toBe(0);
    expect(clockSkewMs('yesterday', now)).toBe(0);
    expect(playlistAgeMs(now, now - 50, 0)).toBe(0);
  });
});
