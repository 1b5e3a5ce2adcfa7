/** Fields used from an entry of `RTCPeerConnection.getStats` (W3C webrtc-stats). */
export interface MediaStats {
  readonly type: string;
  readonly kind?: string;
  readonly framesDecoded?: number;
  readonly packetsReceived?: number;
  /** Seconds, summed over the frames that left the jitter buffer. */
  readonly jitterBufferDelay?: number;
  readonly jitterBufferEmittedCount?: number;
  readonly totalDecodeTime?: number;
  readonly nominated?: boolean;
  readonly state?: string;
  /** Seconds. */
  readonly currentRoundTripTime?: number;
}

/** Totals of a connection so far; differences of two give the averages between them. */
export interface Shown {
  readonly emitted: number;
  readonly waitSeconds: number;
  readonly decoded: number;
  readonly decodeSeconds: number;
}
export const NOTHING_SHOWN: Shown = { emitted: 0, waitSeconds: 0, decoded: 0, decodeSeconds: 0 };

export function shownBy(stats: readonly MediaStats[]): Shown {
  const video = stats.find(({ type, kind }) => type === 'inbound-rtp' && kind === 'video');
  return {
    emitted: video?.jitterBufferEmittedCount ?? 0,
    waitSeconds: video?.jitterBufferDelay ?? 0,
    decoded: video?.framesDecoded ?? 0,
    decodeSeconds: video?.totalDecodeTime ?? 0,
  };
}

const mean = (sum: number, count: number): number => (count > 0 ? sum / count : 0);

/**
 * Latency of a WebRTC connection between two counts, in ms: half a round trip to the server, the mean wait in
 * the jitter buffer and the mean decoding time. The publisher's own latency is not included. Null without new
 * frames.
 */
export function connectionAgeMs(stats: readonly MediaStats[], before: Shown): number | null {
  const now = shownBy(stats);
  if (now.emitted <= before.emitted) return null;
  const pair = stats.find(({ type, state, nominated }) =>
    type === 'candidate-pair' && state === 'succeeded' && nominated !== false
  );
  const wait = mean(now.waitSeconds - before.waitSeconds, now.emitted - before.emitted);
  const decoding = mean(now.decodeSeconds - before.decodeSeconds, now.decoded - before.decoded);
  return Math.round(((pair?.currentRoundTripTime ?? 0) / 2 + wait + decoding) * 1_000);
}

/**
 * Latency of a frame with a time from the playlist (EXT-X-PROGRAM-DATE-TIME), in ms.
 * @param nowMs the server's time
 */
export const playlistAgeMs = (shownAtMs: number, nowMs: number): number =>
  Math.max(0, Math.round(nowMs - shownAtMs));
