import type { Judged, ShowKey } from '#product/recordings/rules.ts';

/** What can be reported. Later slices say what a `post` and a `recording` are (`moderation.reportables`). */
export const REPORT_KINDS = ['message', 'person', 'room', 'bio', 'picture', 'post', 'recording'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
/** Kinds that a number names, beside the performer they belong to. */
const NUMBERED: ReadonlySet<ReportKind> = new Set<ReportKind>(['message', 'picture', 'post', 'recording']);
/** Kinds that may have a picture. */
export const WITH_PICTURE: ReadonlySet<ReportKind> =
  new Set<ReportKind>(['person', 'bio', 'picture', 'post']);

/** What within a report of a recording says that it is of a private show; anything else is a ticket show. */
const PRIVATE = 'private';
export const showNamed = (id: number, within: string | null): ShowKey =>
  ({ mode: within === PRIVATE ? 'private' : 'limited', showId: id });

/** The recorded show, or the offline video of the room, that a report is about; null for anything else. */
export function reportedShow({ kind, targetId, within, recordingId }: {
  readonly kind: ReportKind; readonly targetId: number | null; readonly within: string | null;
  readonly recordingId: number | null;
}): Judged | null {
  if (recordingId !== null) return { mode: 'public', showId: recordingId };
  return kind === 'recording' && targetId !== null ? showNamed(targetId, within) : null;
}

/** Why something is reported, the most urgent first. */
export const REPORT_REASONS = [
  'underage', 'non_consensual', 'illegal', 'harassment', 'impersonation', 'spam', 'other',
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];
/** Somebody may be in danger: the queue marks these. */
export const URGENT_REASONS: readonly ReportReason[] = ['underage', 'non_consensual'];
export const isUrgent = (reason: ReportReason): boolean => URGENT_REASONS.includes(reason);

/** How a report ends. */
export const REPORT_OUTCOMES = ['no_violation', 'warned', 'removed', 'restricted', 'passed_on'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

/** A few paragraphs: more belongs into a request to support. */
export const MAX_DETAILS_LENGTH = 1_000;
/** What is stored of a text that was reported: the longest that people write here. */
export const MAX_SNAPSHOT_LENGTH = 4_000;
export const MAX_CLOSING_NOTE_LENGTH = 1_000;
/** Open reports of one person, or of the guests of one network: who has more waits for a decision. */
export const MAX_OPEN_REPORTS = 30;
/** Open reports of all guests together. When they are full, the network with most of them gives way. */
const MAX_OPEN_GUEST_REPORTS = 2_000;
export const REPORTS_PAGE = 50;
/** Kind of the deadline that removes the copy of a reported picture. */
export const COPY_REMOVAL = 'moderation.copyRemoval';
/** Closed reports are needed while a decision may be disputed, and no longer. */
export const RETAIN_CLOSED_DAYS = 365;

export interface ReportDraft {
  readonly kind: ReportKind;
  readonly id: number | null;
  readonly reason: ReportReason;
  readonly details: string;
}

/** What is missing in a report: `other` says nothing by itself. */
export function faultOf({ kind, id, reason, details }: ReportDraft): 'unnamed' | 'no_details' | null {
  if (NUMBERED.has(kind) !== (id !== null)) return 'unnamed';
  return reason === 'other' && details === '' ? 'no_details' : null;
}

/** Whether one more report of somebody fits, by how many of theirs are open. */
export const mayReport = (open: number): boolean => open < MAX_OPEN_REPORTS;

/** Open reports of guests. */
export interface GuestReports {
  readonly total: number;
  /** Of the network of who reports. */
  readonly own: number;
  /** Of the network that has most of them. */
  readonly most: number;
}

/**
 * Whether one more report of a guest fits. In a full queue it `displaces` one of the network with most:
 * nobody who fills the queue from many networks shuts out those who have something to report.
 */
export function roomForGuest({ total, own, most }: GuestReports): 'fits' | 'displaces' | 'full' {
  if (!mayReport(own)) return 'full';
  if (total < MAX_OPEN_GUEST_REPORTS) return 'fits';
  return most > own ? 'displaces' : 'full';
}
