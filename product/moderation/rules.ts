import type { Judged, ShowKey } from '#product/recordings/rules.ts';

/** What can be reported. Later slices define `post` and `recording` (`moderation.reportables`). */
export const REPORT_KINDS = ['message', 'person', 'room', 'bio', 'picture', 'post', 'recording'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];
/** Kinds that need a number in addition to the performer. */
const NUMBERED: ReadonlySet<ReportKind> = new Set<ReportKind>(['message', 'picture', 'post', 'recording']);
/** Kinds that may have a picture. */
export const WITH_PICTURE: ReadonlySet<ReportKind> = new Set<ReportKind>([
  'person',
  'bio',
  'picture',
  'post',
]);

/** The `within` value of a recording of a private show; anything else means a ticket show. */
const PRIVATE = 'private';
export const showNamed = (id: number, within: string | null): ShowKey => ({
  mode: within === PRIVATE ? 'private' : 'limited',
  showId: id,
});

/** The recorded show, or the room's offline video, that a report is about; null for anything else. */
export function reportedShow({ kind, targetId, within, recordingId }: {
  readonly kind: ReportKind;
  readonly targetId: number | null;
  readonly within: string | null;
  readonly recordingId: number | null;
}): Judged | null {
  if (recordingId !== null) return { mode: 'public', showId: recordingId };
  return kind === 'recording' && targetId !== null ? showNamed(targetId, within) : null;
}

/** Why something is reported, the most urgent first. */
export const REPORT_REASONS = [
  'underage',
  'non_consensual',
  'illegal',
  'harassment',
  'impersonation',
  'spam',
  'other',
] as const;
export type ReportReason = (typeof REPORT_REASONS)[number];
/** Somebody may be in danger: the queue marks these. */
export const URGENT_REASONS: readonly ReportReason[] = ['underage', 'non_consensual'];
export const isUrgent = (reason: ReportReason): boolean => URGENT_REASONS.includes(reason);

/** How a report ends. */
export const REPORT_OUTCOMES = ['no_violation', 'warned', 'removed', 'restricted', 'passed_on'] as const;
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number];

/** A few paragraphs: longer texts belong in a support request. */
export const MAX_DETAILS_LENGTH = 1_000;
/** The longest stored text of reported content, which is the longest that people can write here. */
export const MAX_SNAPSHOT_LENGTH = 4_000;
export const MAX_CLOSING_NOTE_LENGTH = 1_000;
/** The most open reports of one person, or of guests of one network; more are refused until one is closed. */
export const MAX_OPEN_REPORTS = 30;
/** The most open reports of all guests. A further one displaces a report of the network with the most. */
const MAX_OPEN_GUEST_REPORTS = 2_000;
export const REPORTS_PAGE = 50;
/** Kind of the deadline that removes the copy of a reported picture. */
export const COPY_REMOVAL = 'moderation.copyRemoval';
/** Kind of the deadline of a case, by its id: the site escalates, hides or restores. */
export const CASE_CLOCK = 'moderation.clock';
/** Closed reports are needed only while a decision may be disputed. */
export const RETAIN_CLOSED_DAYS = 365;

export interface ReportDraft {
  readonly kind: ReportKind;
  readonly id: number | null;
  readonly reason: ReportReason;
  readonly details: string;
}

/** What a report lacks; the reason `other` needs details. */
export function faultOf({ kind, id, reason, details }: ReportDraft): 'unnamed' | 'no_details' | null {
  if (NUMBERED.has(kind) !== (id !== null)) return 'unnamed';
  return reason === 'other' && details === '' ? 'no_details' : null;
}

/** Whether one more report of a person fits, given their number of open reports. */
export const mayReport = (open: number): boolean => open < MAX_OPEN_REPORTS;

/** Open reports of guests. */
export interface GuestReports {
  readonly total: number;
  /** From the reporter's network. */
  readonly own: number;
  /** From the network with the most. */
  readonly most: number;
}

/**
 * Whether one more report of a guest fits. In a full queue it `displaces` a report of the network with the
 * most, so that filling the queue from many networks does not shut out genuine reporters.
 */
export function roomForGuest({ total, own, most }: GuestReports): 'fits' | 'displaces' | 'full' {
  if (!mayReport(own)) return 'full';
  if (total < MAX_OPEN_GUEST_REPORTS) return 'fits';
  return most > own ? 'displaces' : 'full';
}
