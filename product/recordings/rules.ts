import { HOUR_MS } from '#platform/time/units.ts';
import type { Measured } from '#product/broadcast/rules.ts';

export const RECORDING_STATES = ['recording', 'ready', 'interrupted'] as const;
export type RecordingState = (typeof RECORDING_STATES)[number];
/** Shows whose recordings others can watch: ticket shows (their buyers), and private shows (their viewer). */
export const RECORDED_SHOWS = ['limited', 'private'] as const;
/** What was recorded: a public broadcast, for the performer only, or a show. */
export const RECORDING_MODES = ['public', ...RECORDED_SHOWS] as const;
export type RecordingMode = (typeof RECORDING_MODES)[number];

/** A show by its mode and id: ids are counted separately for each mode. */
export interface ShowKey {
  readonly mode: (typeof RECORDED_SHOWS)[number];
  readonly showId: number;
}
export const isShow = (key: ShowKey, other: ShowKey | null): boolean =>
  other !== null && key.mode === other.mode && key.showId === other.showId;
/** The show of a stored recording; null for a public one. */
export const showOf = (
  { mode, showId }: { readonly mode: RecordingMode; readonly showId: number | null },
): ShowKey | null => (mode === 'public' || showId === null ? null : { mode, showId });

/** Something to be judged: a show, or a public recording, whose own id then replaces a show's. */
export interface Judged {
  readonly mode: RecordingMode;
  readonly showId: number;
}
export const judgedOf = (
  { id, mode, showId }: { readonly id: number; readonly mode: RecordingMode; readonly showId: number | null },
): Judged => ({ mode, showId: showId ?? id });

/** Most rows on one page of recordings. */
export const MAX_RECORDINGS_PER_PAGE = 50;
/** Most parts of one show: each interruption starts a new one, and after this many none is started. */
export const MAX_SHOW_PARTS = 500;
/** Longest recording: 8 h at 2.5 Mbit/s are about 9 GB. */
export const MAX_RECORDING_MS = 8 * HOUR_MS;
/** A performer's space, unless the operator sets another. */
export const RECORDING_QUOTA_BYTES = 20 * 1024 ** 3;
/** The performer is warned from this share on. */
const NEAR_QUOTA = 0.9;
/** Version of `recordings:consentText`, which a performer agrees to; raised when the text changes. */
export const RECORDING_CONSENT_VERSION = 3;

/** Whether a consent is to the current text. @param shown version of the text that was shown, if given */
export const isCurrentConsent = (shown: number | undefined, current: number): boolean =>
  shown === undefined || shown === current;

/** A recording needs at least this much space: about half a minute. */
export const MIN_RECORDING_BYTES = 8 * 1024 ** 2;
/** Disk space that recordings leave free for databases and logs. */
export const RESERVED_DISK_BYTES = 512 * 1024 ** 2;
/** Interval of checking the size of running recordings: about 3 MB each. */
export const SPACE_CHECK_MS = 10_000;
/** `Retry-After` of a recording that could not start. */
export const RECORDING_RETRY_SECONDS = 5;
/** Recordings recovered per page after a crash. */
export const RECOVERY_PAGE = 200;
/** Default rows on one page of recordings. */
export const RECORDINGS_PER_PAGE = 20;

/** Why a recording ended; `lost` is set only after a crash. */
export type RecordingEndReason = 'stopped' | 'source' | 'full' | 'fault' | 'lost';

export type SpaceState = 'ok' | 'near' | 'full';

/** State of the space for recordings; `full` means that no recording can start. */
export function spaceState(usedBytes: number, quotaBytes: number): SpaceState {
  if (quotaBytes - usedBytes < MIN_RECORDING_BYTES) return 'full';
  return usedBytes >= quotaBytes * NEAR_QUOTA ? 'near' : 'ok';
}

/** States of the pre-show test. */
export const TEST_STATES = ['none', 'waiting', 'recording', 'ready', 'failed'] as const;
export type TestState = (typeof TEST_STATES)[number];
export const TEST_RECORD_MS = 10_000;
export const TEST_WAIT_MS = 120_000;
export const TEST_KEEP_MS = 600_000;
/** Timeout of the recording: the first keyframe can be late. */
export const TEST_LIMIT_MS = TEST_RECORD_MS + 20_000;
/** 10 s at 20 Mbit/s, more than any encoder sends. */
export const MAX_TEST_BYTES = 25_000_000;
/** A shorter clip shows too little. */
export const MIN_TEST_MS = 2_000;

/** Measurements of one test: one a second. */
export const MAX_TEST_REPORTS = TEST_LIMIT_MS / 1_000;
/** How long a diverted encoder may reconnect after a restart and still be diverted. */
export const TEST_RESUME_MS = TEST_WAIT_MS;

/** Summary of a test: mean rates, worst round trip and keyframe interval. Null without measurements. */
export function overallOf(reports: readonly Measured[]): Measured | null {
  const mean = (of: (one: Measured) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0) / reports.length;
  const longest = (of: (one: Measured) => number | null): number | null => {
    const known = reports.map(of).filter((item) => item !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  if (reports.length === 0) return null;
  return {
    videoBitsPerSecond: mean((measured) => measured.videoBitsPerSecond),
    audioBitsPerSecond: mean((measured) => measured.audioBitsPerSecond),
    framesPerSecond: mean((item) => item.framesPerSecond),
    lossFraction: mean((item) => item.lossFraction),
    roundTripMs: longest((measured) => measured.roundTripMs),
    keyframeIntervalMs: longest((measured) => measured.keyframeIntervalMs),
    trouble: reports.at(-1)?.trouble ?? null,
    bFrames: reports.at(-1)?.bFrames ?? null,
  };
}

/** Most bytes of a file per response: enough for a player, and limits the memory of one request. */
export const MAX_RESPONSE_BYTES = 8 * 1024 ** 2;

/** A byte range, both ends included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The byte range of a Range header (RFC 9110 §14.1.2), at most {@link MAX_RESPONSE_BYTES}. Null without a
 * header, and for headers that are ignored: another unit, several ranges, no range.
 */
export function byteRangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return null;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Number(last);
  if (first !== '' && last !== '' && end < from) return null;
  if (from >= size || (first === '' && Number(last) === 0)) return 'unsatisfiable';
  return { from, to: Math.min(end, size - 1, from + MAX_RESPONSE_BYTES - 1) };
}

/** Kind of the deadline that removes the file of an erased recording. */
export const FILE_REMOVAL = 'recordings.fileRemoval';
