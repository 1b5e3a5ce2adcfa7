import type { HlsSegment, HlsWindow } from '#platform/streaming/outputs/outputs.ts';

/**
 * Version 7 is needed for fragmented MP4 (RFC 8216 §7). EXT-X-INDEPENDENT-SEGMENTS (§4.3.5.1) is left out: a
 * segment may start without a keyframe when the publisher sends none for long.
 */
const HEAD = ['#EXTM3U', '#EXT-X-VERSION:7'];
const text = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** One line of a master playlist. */
export interface Variant {
  /** `source`, or a height. */
  readonly rendition: string;
  readonly bitsPerSecond: number;
  readonly width: number;
  readonly height: number;
  /** RFC 6381. */
  readonly codecs: string;
}

/** A master playlist (RFC 8216 §4.3.4). @param query appended to every URL, with its `?` */
export const masterPlaylist = (variants: readonly Variant[], query: string): string =>
  text([
    ...HEAD,
    ...variants.flatMap(({ rendition, bitsPerSecond, width, height, codecs }) => [
      `#EXT-X-STREAM-INF:BANDWIDTH=${Math.max(1, Math.ceil(bitsPerSecond))},RESOLUTION=${width}x${height},`
      + `CODECS="${codecs}"`,
      `${rendition}/live.m3u8${query}`,
    ]),
  ]);

/**
 * A media playlist (RFC 8216 §4.3.3).
 * @param query appended to every URL, with its `?`
 * @param isOver adds ENDLIST
 */
export function mediaPlaylist(window: HlsWindow, query: string, isOver: boolean): string {
  const { segments } = window;
  const longest = segments.map(({ durationMs }) => Math.round(durationMs / 1_000));
  return text([
    ...HEAD,
    `#EXT-X-TARGETDURATION:${Math.max(window.targetDurationSeconds, ...longest)}`,
    `#EXT-X-MEDIA-SEQUENCE:${window.mediaSequence}`,
    `#EXT-X-DISCONTINUITY-SEQUENCE:${window.discontinuitySequence}`,
    ...segments.flatMap((segment, at) => linesOf(segment, segments[at - 1], query)),
    ...(isOver ? ['#EXT-X-ENDLIST'] : []),
  ]);
}

function linesOf(segment: HlsSegment, before: HlsSegment | undefined, query: string): string[] {
  const { name, durationMs, startsAt, init, discontinuity } = segment;
  return [
    ...(discontinuity ? ['#EXT-X-DISCONTINUITY'] : []),
    ...(init === before?.init ? [] : [`#EXT-X-MAP:URI="${init}${query}"`]),
    `#EXT-X-PROGRAM-DATE-TIME:${new Date(startsAt).toISOString()}`,
    `#EXTINF:${(durationMs / 1_000).toFixed(3)},`,
    `${name}${query}`,
  ];
}
