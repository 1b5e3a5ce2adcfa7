/** What is read of an entry of `RTCPeerConnection.getStats` (W3C webrtc-stats). */
export interface MediaStats {
  readonly type: string;
  readonly kind?: string;
  readonly framesDecoded?: number;
  readonly packetsReceived?: number;
  /** Seconds, summed over what left the jitter buffer. */
  readonly jitterBufferDelay?: number;
  readonly jitterBufferEmittedCount?: number;
  readonly totalDecodeTime?: number;
  readonly nominated?: boolean;
  readonly state?: string;
  /** Seconds. */
  readonly currentRoundTripTime?: number;
}

/** Sums of what a connection has shown so far; the difference of two tells of the time between them. */
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
    emitted: video?.jitterBufferEmittedCount ?? 0, waitSeconds: video?.jitterBufferDelay ?? 0,
    decoded: video?.framesDecoded ?? 0, decodeSeconds: video?.totalDecodeTime ?? 0,
  };
}

const mean = (sum: number, count: number): number => (count > 0 ? sum / count : 0);

/**
 * How old the pictures of a WebRTC connection were between two counts, in ms, as far as this end can tell:
 * half a round trip to the server, the mean wait in the jitter buffer, and the mean time of decoding. What
 * the publisher's own way to the server takes is not in it. Null when no picture came between.
 */
export function connectionAgeMs(stats: readonly MediaStats[], before: Shown): number | null {
  const now = shownBy(stats);
  if (now.emitted <= before.emitted) return null;
  const pair = stats.find(({ type, state, nominated }) =>
    type === 'candidate-pair' && state === 'succeeded' && nominated !== false);
  const wait = mean(now.waitSeconds - before.waitSeconds, now.emitted - before.emitted);
  const decoding = mean(now.decodeSeconds - before.decodeSeconds, now.decoded - before.decoded);
  return Math.round(((pair?.currentRoundTripTime ?? 0) / 2 + wait + decoding) * 1_000);
}

/** HTTP dates have whole seconds, so two clocks this close cannot be told apart. */
const CLOCK_GRAIN_MS = 1_500;

/**
 * How far this device's clock is before the server's, in ms, by the `Date` header of an answer (RFC 9110
 * §6.6.1); 0 when that cannot be told, or hardly.
 */
export function clockSkewMs(dateHeader: string | null, nowMs: number): number {
  const server = Date.parse(dateHeader ?? '');
  // The header was cut down to its second: half of one is the better guess.
  const skew = nowMs - (server + 500);
  return Number.isFinite(skew) && Math.abs(skew) > CLOCK_GRAIN_MS ? Math.round(skew) : 0;
}

/** How old a picture is whose time stands in the playlist (EXT-X-PROGRAM-DATE-TIME), in ms. */
export const playlistAgeMs = (shownAtMs: number, nowMs: number, skewMs: number): number =>
  Math.max(0, Math.round(nowMs - skewMs - shownAtMs));
