import { HOUR_MS } from '../../platform/time/units.ts';
import type { Measured } from '../broadcast/rules.ts';

export const RECORDING_STATES = ['recording', 'ready', 'interrupted'] as const;
export type RecordingState = (typeof RECORDING_STATES)[number];
/** Rows of one page of recordings: what a person looks through. */
export const MAX_RECORDINGS_PER_PAGE = 50;
/** One recording: a long show at 2.5 Mbit/s is some 9 GB in 8 h. */
export const MAX_RECORDING_MS = 8 * HOUR_MS;
/** Space of one performer unless her operator says otherwise. */
export const RECORDING_QUOTA_BYTES = 20 * 1024 ** 3;
/** From this share on the performer is warned. */
const NEAR_QUOTA = 0.9;
/** Which text a performer agrees to before a recording begins; `recordings:consentText`. */
export const RECORDING_CONSENT_VERSION = 1;

/** A recording that could not hold this is not begun: some half minute. */
export const MIN_RECORDING_BYTES = 8 * 1024 ** 2;
/** Left free on the disk by recordings: databases and logs live there too. */
export const RESERVED_DISK_BYTES = 512 * 1024 ** 2;
/** How often the size of what runs is looked at: 3 MB pass in this time. */
export const SPACE_CHECK_MS = 10_000;
/** Seconds until it is worth asking again for a recording that could not be begun. */
export const RECORDING_RETRY_SECONDS = 5;
/** Recordings taken up in one go after a crash. */
export const RECOVERY_PAGE = 200;
/** Rows of a page of recordings unless asked for more or fewer. */
export const RECORDINGS_PER_PAGE = 20;

/** What is written down of how a recording ended; `lost` is known only after a crash. */
export type RecordingEndReason = 'stopped' | 'source' | 'full' | 'fault' | 'lost';

export type SpaceState = 'ok' | 'near' | 'full';

/** How full the space for recordings is; `full` means that no other one can be begun. */
export function spaceState(usedBytes: number, quotaBytes: number): SpaceState {
  if (quotaBytes - usedBytes < MIN_RECORDING_BYTES) return 'full';
  return usedBytes >= quotaBytes * NEAR_QUOTA ? 'near' : 'ok';
}

/** The pre-show test: waiting for a publisher, recording it, done, or given up. */
export const TEST_STATES = ['none', 'waiting', 'recording', 'ready', 'failed'] as const;
export type TestState = (typeof TEST_STATES)[number];
export const TEST_RECORD_MS = 10_000;
export const TEST_WAIT_MS = 120_000;
export const TEST_KEEP_MS = 600_000;
/** A test with nothing to show for it after this long has failed: the first keyframe can be late. */
export const TEST_LIMIT_MS = TEST_RECORD_MS + 20_000;
/** 10 s at 20 Mbit/s, more than any encoder is set to. */
export const MAX_TEST_BYTES = 25_000_000;
/** Less than this of a picture shows nothing. */
export const MIN_TEST_MS = 2_000;

/** Measurements kept of one test: one a second. */
export const MAX_TEST_REPORTS = TEST_LIMIT_MS / 1_000;
/** After a restart an encoder that was put aside may come back this long, and is put aside again. */
export const TEST_RESUME_MS = TEST_WAIT_MS;

/** How a test was as a whole: means, and the worst way to the server. Null when nothing was measured. */
export function overallOf(reports: readonly Measured[]): Measured | null {
  const mean = (of: (one: Measured) => number): number =>
    reports.reduce((sum, one) => sum + of(one), 0) / reports.length;
  const longest = (of: (one: Measured) => number | null): number | null => {
    const known = reports.map(of).filter((one) => one !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  if (reports.length === 0) return null;
  return {
    videoBitsPerSecond: mean((one) => one.videoBitsPerSecond),
    audioBitsPerSecond: mean((one) => one.audioBitsPerSecond),
    framesPerSecond: mean((one) => one.framesPerSecond), lossFraction: mean((one) => one.lossFraction),
    roundTripMs: longest((one) => one.roundTripMs),
    keyframeIntervalMs: longest((one) => one.keyframeIntervalMs),
    trouble: reports.at(-1)?.trouble ?? null,
  };
}

/** Longest answer with bytes of a file: enough for a player, and what memory one request may take. */
export const MAX_ANSWER_BYTES = 8 * 1024 ** 2;

/** A part of a file, both ends included. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * The part of a file a Range header asks for (RFC 9110 §14.1.2), at most {@link MAX_ANSWER_BYTES} of it.
 * Null when there is no header or one that is not honoured: another unit, several ranges, no range at all.
 */
export function partOf(header: string | null, size: number): Part | 'unsatisfiable' | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (!match || (first === '' && last === '')) return null;
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Number(last);
  if (first !== '' && last !== '' && end < from) return null;
  if (from >= size || (first === '' && Number(last) === 0)) return 'unsatisfiable';
  return { from, to: Math.min(end, size - 1, from + MAX_ANSWER_BYTES - 1) };
}
