import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PLAIN_TEXT } from '#product/accounts/rules.ts';
import { z } from 'zod';
import {
  MAX_CLOSING_NOTE_LENGTH,
  MAX_DETAILS_LENGTH,
  REPORT_KINDS,
  REPORT_OUTCOMES,
  REPORT_REASONS,
} from './rules.ts';

const slice = 'moderation';
const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
export const reportedUnknown = refusal({
  slice,
  code: 'reported_unknown',
  kind: 'absent',
  description: 'There is nothing of this kind and name for this viewer.',
});
export const ownReport = refusal({
  slice,
  code: 'own_report',
  kind: 'denied',
  description: 'Nobody reports themselves, or decides on a report of themselves or by them.',
});
export const detailsMissing = refusal({
  slice,
  code: 'details_missing',
  kind: 'invalid',
  description: 'The reason `other` needs words.',
});
export const tooManyReports = refusal({
  slice,
  code: 'too_many_reports',
  kind: 'conflict',
  description: 'As many reports of this person, or of guests of this network, are open as may be.',
});
export const reportUnknown = refusal({
  slice,
  code: 'report_unknown',
  kind: 'absent',
  description: 'No report of this operator has this id.',
});
export const reportClosed = refusal({
  slice,
  code: 'report_closed',
  kind: 'conflict',
  description: 'Somebody closed it before.',
});

export const sendReport = call({
  name: 'moderation.sendReport',
  method: 'POST',
  path: '/reports',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({
    kind: z.enum(REPORT_KINDS),
    /** For a person their username; otherwise that of the performer whose room or page it is in. */
    username: z.string().max(40),
    /** Id of the message, picture, post or recording. */
    id: z.int().positive().optional(),
    /** For a message in a show's chat the key of that chat; for a recording of a private show `private`. */
    within: z.string().max(32).optional(),
    reason: z.enum(REPORT_REASONS),
    details: z.string().trim().max(MAX_DETAILS_LENGTH).regex(PLAIN_TEXT),
  }),
  output: z.object({ status: z.literal(1) }),
  refusals: [reportedUnknown, ownReport, detailsMissing, tooManyReports],
  limit: { points: 20, seconds: 3600, per: 'address' },
  summary: 'Report something',
  description: 'Stores a copy of what is reported, for admins. The person reported is not notified. The same '
    + 'again, while the first is open, changes nothing. Guests report, too, and are not named.',
});

const Report = z.object({
  id: z.int(),
  kind: z.enum(REPORT_KINDS),
  reason: z.enum(REPORT_REASONS),
  details: z.string(),
  /** Somebody may be in danger. */
  is_urgent: z.boolean(),
  /** The reported person; null if they no longer have an account. */
  username: z.string().nullable(),
  /** Username of the performer whose room it was in; null if that is `username`. */
  room: z.string().nullable(),
  /** Id of the message, picture, post or recording. */
  target_id: z.int().nullable(),
  within: z.string().nullable(),
  /** Its text when it was reported; empty if it has none. */
  snapshot: z.string(),
  /** The report has a copy of the picture, which remains after the original is deleted. */
  has_picture: z.boolean(),
  /**
   * The recording of the show, or the room's offline video, as far as it exists. Available while the report
   * is open, even if the performer has deleted it.
   */
  recordings: z.array(z.object({ id: z.int(), seconds: z.int(), is_deleted: z.boolean() })),
  /** Null for a guest or an erased person. */
  reporter: z.string().nullable(),
  at: z.string(),
  closed_at: z.string().nullable(),
  closed_by: z.string().nullable(),
  outcome: z.enum(REPORT_OUTCOMES).nullable(),
  note: z.string(),
});
export type ReportView = z.infer<typeof Report>;

export const listReports = call({
  name: 'moderation.listReports',
  method: 'GET',
  path: '/admin/reports',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    closed: z.boolean().optional(),
    reason: z.enum(REPORT_REASONS).optional(),
  }),
  output: z.object({
    reports: z.array(Report),
    next: z.int().nullable(),
    /** Number of open reports by reason; reasons without any are missing. */
    open: z.array(z.object({ reason: z.enum(REPORT_REASONS), count: z.int() })),
  }),
  refusals: [],
  summary: 'The queue of reports',
  description: 'Open ones, or with `closed` those that are decided, of one reason or all; newest first, 50 a '
    + 'page. `next` is `before` of the page after.',
});

export const getReportedPicture = call({
  name: 'moderation.getReportedPicture',
  method: 'GET',
  path: '/admin/reports/:id/picture',
  access: 'admin',
  credential: 'cookie',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  input: z.object({ id: z.int().positive(), body: z.string().max(0).optional() }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [reportUnknown],
  summary: 'The picture that a report is about',
  description: 'WebP, as it was when it was reported. Audited.',
});

export const getReportedRecording = call({
  name: 'moderation.getReportedRecording',
  method: 'GET',
  path: '/admin/reports/:id/recordings/:part',
  access: 'admin',
  credential: 'cookie',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  limit: { points: 600, seconds: 60, per: 'caller' },
  input: z.object({ id: z.int().positive(), part: z.int().positive(), body: z.string().max(0).optional() }),
  output: z.object({ status: z.int(), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [reportUnknown],
  summary: 'A recording that an open report is about',
  description: 'MP4, a Range of at most 8 MB as for its performer; also what they deleted since. Audited.',
});

export const closeReport = call({
  name: 'moderation.closeReport',
  method: 'POST',
  path: '/admin/reports/:id/close',
  access: 'admin',
  credential: 'cookie',
  input: z.object({
    id: z.int().positive(),
    outcome: z.enum(REPORT_OUTCOMES),
    note: z.string().trim().min(1).max(MAX_CLOSING_NOTE_LENGTH).regex(PLAIN_TEXT),
  }),
  output: Report,
  refusals: [reportUnknown, reportClosed, ownReport],
  summary: 'Close a report',
  description: 'With the outcome and a note. Audited. Closed reports are erased after a year.',
});
