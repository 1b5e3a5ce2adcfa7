import { describe, expect, it } from 'vitest';
import { connectionAgeMs, NOTHING_SHOWN, playlistAgeMs, shownBy } from './latency.ts';

const stats = (emitted: number, waitSeconds: number) => [
  { type: 'codec' },
  { type: 'inbound-rtp', kind: 'audio', jitterBufferDelay: 90, jitterBufferEmittedCount: 3 },
  {
    type: 'inbound-rtp',
    kind: 'video',
    jitterBufferDelay: waitSeconds,
    jitterBufferEmittedCount: emitted,
    framesDecoded: emitted,
    totalDecodeTime: emitted * 0.005,
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

  it('over HLS is the age of the frame by the server\'s clock', () => {
    const now = Date.parse('2026-01-15T12:00:00.500Z');
    expect(playlistAgeMs(Date.parse('2026-01-15T11:59:56.500Z'), now)).toBe(4_000);
    expect(playlistAgeMs(now, now - 50)).toBe(0);
  });
});
