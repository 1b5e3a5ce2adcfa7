import { handleCall, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { storedRemoval, type Blobs } from '#platform/data/blobs.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { customerNetwork } from '#platform/http/address.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { kinds } from '#product/notices/extension-points.ts';
import { evidence } from '#product/recordings/extension-points.ts';
import type { Judged } from '#product/recordings/rules.ts';
import type { RecordingsService } from '#product/recordings/server.ts';
import { blobNames } from '#product/site/extension-points.ts';
import {
  closeReport,
  detailsMissing,
  getReportedPicture,
  getReportedRecording,
  listReports,
  ownReport,
  reportClosed,
  reportedUnknown,
  reportUnknown,
  sendReport,
  tooManyReports,
  type ReportView,
} from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import {
  COPY_REMOVAL,
  faultOf,
  isUrgent,
  mayReport,
  REPORT_REASONS,
  reportedShow,
  REPORTS_PAGE,
  roomForGuest,
  WITH_PICTURE,
} from './rules.ts';
import { NO_ACTIONS } from './rules/cases.ts';
import { caseHandlers } from './server/case-calls.ts';
import { addEvent, caseClock, openCase } from './server/cases.ts';
import { suspensionDeadline, type DecisionDependencies } from './server/decisions.ts';
import { findReported, type Asked, type ReportedDependencies } from './server/reported.ts';
import { requestHandlers } from './server/requests.ts';
import { NOTICE_KINDS, stepper } from './server/steps.ts';
import {
  closeReport as close,
  countGuests,
  countOpen,
  countOpenByReason,
  findDisplaced,
  findReport,
  insertReport,
  isReported,
  isShowReported,
  lockReport,
  removeReport,
  reportBlobs,
  reportOfCase,
  selectReports,
  type NewReport,
  type ReportRow,
} from './store.ts';
import { lockCase } from './store/cases.ts';
import { ownRows } from './store/own-rows.ts';

/** The service for later slices: empty so far. */
export type ModerationService = Readonly<Record<string, never>>;

export type ModerationDependencies = ReportedDependencies & DecisionDependencies & { readonly blobs: Blobs };

/** Reports of what people see, and the queue they wait in until an admin decides. */
export function moderationSlice(deps: ModerationDependencies): Slice<ModerationService> {
  return {
    name: 'moderation',
    service: {},
    extensionPoints,
    extensions: [
      implement(personalData, ownRows),
      implement(blobNames, () => reportBlobs),
      implement(evidence, isShowReported),
      implement(kinds, () => NOTICE_KINDS),
    ],
    callHandlers: [
      reporting(deps),
      pictureHandler(deps),
      recordingHandler(deps),
      ...queueHandlers(deps),
      ...requestHandlers(deps),
      ...caseHandlers({ ...deps, settleReport: settleReport(deps) }),
    ],
    deadlineHandlers: [
      storedRemoval(COPY_REMOVAL, deps.blobs),
      caseClock(deps.data, stepper(deps)),
      suspensionDeadline(deps),
    ],
  };
}

/** Guests whose address identifies no network count as one network. */
const UNKNOWN_NETWORK = 'unknown';

function reporting(deps: ModerationDependencies): CallHandler {
  const { data, blobs } = deps;
  /** Copies the picture that the reporter sees now; all reports of one picture share the copy. */
  const copyOf = async (context: CallContext, asked: Asked): Promise<string | null> => {
    const picture = (await data.tx(context.scope, (tx) => findReported(deps, tx, context, asked)))?.picture;
    const bytes = picture ? await blobs.get(picture) : null;
    return bytes && blobs.put(bytes, `report of ${context.scope.operatorId} ${asked.kind} ${asked.id}`);
  };
  return handleCall(sendReport)(async (input, context) => {
    const { caller: { personId }, refuse } = context;
    const { kind, username, id = null, within = null, reason } = input;
    const details = cleanLines(input.details);
    const fault = faultOf({ kind, id, reason, details });
    if (fault !== null) return refuse(fault === 'unnamed' ? reportedUnknown : detailsMissing);
    const asked = { kind, username, id, within };
    const pictureBlob = WITH_PICTURE.has(kind) ? await copyOf(context, asked) : null;
    return data.tx(context.scope, async (tx) => {
      const found = await findReported(deps, tx, context, asked);
      if (!found) return refuse(reportedUnknown);
      if (found.subjectId === personId) return refuse(ownReport);
      const network = personId === null ? customerNetwork(context.address) ?? UNKNOWN_NETWORK : null;
      const { subjectId, roomId, snapshot, recordingId } = found;
      const report = {
        kind,
        subjectId,
        roomId,
        snapshot,
        targetId: id,
        within,
        reporterId: personId,
        reason,
        details,
        pictureBlob,
        network,
        recordingId,
      };
      if (await isReported(tx, report)) return { status: 1 as const };
      if (!(await makeRoom(deps, tx, report))) return refuse(tooManyReports);
      const caseId = await openCase(tx, { kind, reason, subjectId }, 'queue');
      await insertReport(tx, { ...report, caseId });
      return { status: 1 as const };
    });
  });
}

/** Makes room for one more report in the queue; false if there is none. */
async function makeRoom(
  deps: ModerationDependencies,
  tx: Tx,
  { reporterId, network }: Pick<NewReport, 'reporterId' | 'network'>,
): Promise<boolean> {
  if (reporterId !== null) return mayReport(await countOpen(tx, reporterId));
  const guests = await countGuests(tx, network);
  const room = roomForGuest(guests);
  if (room === 'displaces') await displace(deps, tx, guests.heaviest);
  return room !== 'full';
}

/** Removes a report of the network with the most, and the evidence retained only for it. */
async function displace(
  { recordings }: ModerationDependencies,
  tx: Tx,
  network: string | null,
): Promise<void> {
  const displaced = await findDisplaced(tx, network);
  if (!displaced) return;
  if (displaced.caseId !== null) await lockCase(tx, displaced.caseId);
  const judged = reportedShow(displaced);
  if (judged) await recordings.lockShow(tx, judged);
  await removeReport(tx, displaced.id);
  if (judged) await releaseUnreported(recordings, tx, displaced.subjectId, judged);
}

/** Releases evidence that no open report needs. */
async function releaseUnreported(
  recordings: RecordingsService,
  tx: Tx,
  subjectId: number,
  judged: Judged,
): Promise<void> {
  if (!(await isShowReported(tx, subjectId, judged))) await recordings.releaseEvidence(tx, subjectId, judged);
}

/** Lets go of a recording that only the report of a case needed, once the report is closed. */
const settleReport =
  ({ recordings }: ModerationDependencies) => async (tx: Tx, caseId: number): Promise<void> => {
    const report = await reportOfCase(tx, caseId);
    const show = report && reportedShow(report);
    if (!report || !show) return;
    await recordings.lockShow(tx, show);
    await releaseUnreported(recordings, tx, report.subjectId, show);
  };

/** The audit log names each admin who looks at a picture. */
function pictureHandler({ data, blobs }: ModerationDependencies): CallHandler {
  return handleCall(getReportedPicture)(async ({ id }, { scope, caller, refuse }) => {
    const blob = await data.tx(scope, async (tx) => {
      const found = await findReport(tx, id);
      if (!found?.pictureBlob) return null;
      await tx.audit({
        action: 'moderation.look',
        actorId: caller.personId,
        subject: `report:${id}`,
        reason: '',
      });
      return found.pictureBlob;
    });
    const body = blob === null ? null : await blobs.get(blob);
    if (!body) return refuse(reportUnknown);
    return { status: 200 as const, headers: { 'cache-control': 'private, no-store' }, body };
  });
}

/** Admins can watch the recording of an open report, deleted or not; a closed report no longer shows it. */
function recordingHandler({ data, recordings }: ModerationDependencies): CallHandler {
  return handleCall(getReportedRecording)(async ({ id, part }, { scope, caller, range, refuse }) => {
    const found = await data.tx(scope, async (tx) => {
      const report = await findReport(tx, id);
      const show = report && report.closedAt === null ? reportedShow(report) : null;
      if (!report || !show) return null;
      await tx.audit({
        action: 'moderation.look',
        actorId: caller.personId,
        subject: `report:${id}`,
        reason: '',
      });
      return { performerId: report.subjectId, show };
    });
    return (found && await recordings.readEvidence(scope, found, part, range)) ?? refuse(reportUnknown);
  });
}

function queueHandlers({ data, accounts, recordings }: ModerationDependencies): CallHandler[] {
  const recordingsOf = async (tx: Tx, report: ReportRow): Promise<ReportView['recordings']> => {
    const show = report.closedAt === null ? reportedShow(report) : null;
    if (!show) return [];
    return (await recordings.evidenceOf(tx, report.subjectId, show)).map(({ id, durationMs, isDeleted }) => ({
      id,
      seconds: Math.floor(durationMs / SECOND_MS),
      is_deleted: isDeleted,
    }));
  };
  const viewsOf = async (tx: Tx, rows: readonly ReportRow[]): Promise<ReportView[]> => {
    const people = await accounts.findMany(tx, [
      ...new Set(
        rows.flatMap((row) =>
          [row.subjectId, row.roomId, row.reporterId, row.closedBy].filter((id) => id !== null)
        ),
      ),
    ]);
    const nameOf = (
      id: number | null,
    ): string | null => (id === null ? null : people.get(id)?.username ?? null);
    const found = new Map<number, ReportView['recordings']>();
    for (const row of rows) found.set(row.id, await recordingsOf(tx, row));
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      reason: row.reason,
      details: row.details,
      is_urgent: isUrgent(row.reason),
      username: nameOf(row.subjectId),
      room: row.roomId === row.subjectId ? null : nameOf(row.roomId),
      target_id: row.targetId,
      within: row.within,
      snapshot: row.snapshot,
      has_picture: row.pictureBlob !== null,
      recordings: found.get(row.id) ?? [],
      reporter: nameOf(row.reporterId),
      at: row.at.toISOString(),
      closed_at: row.closedAt?.toISOString() ?? null,
      closed_by: nameOf(row.closedBy),
      outcome: row.outcome,
      note: row.note,
    }));
  };
  return [
    handleCall(listReports)(({ before = null, closed = false, reason = null }, { scope }) =>
      data.tx(scope, async (tx) => {
        const rows = await selectReports(tx, { isClosed: closed, reason, before });
        const { page, next } = pageOf(rows, REPORTS_PAGE);
        const open = await countOpenByReason(tx);
        return {
          reports: await viewsOf(tx, page),
          next,
          open: open.toSorted((item, other) =>
            REPORT_REASONS.indexOf(item.reason) - REPORT_REASONS.indexOf(other.reason)
          ),
        };
      })
    ),
    handleCall(closeReport)(({ id, outcome, note }, { scope, personId: by, refuse }) =>
      data.tx(scope, async (tx) => {
        const open = await findReport(tx, id);
        // The case, then the report, as a decision locks them.
        if (open && open.caseId !== null) await lockCase(tx, open.caseId);
        const show = open && reportedShow(open);
        if (show) await recordings.lockShow(tx, show);
        const report = await lockReport(tx, id);
        if (!report) return refuse(reportUnknown);
        if (report.closedAt !== null) return refuse(reportClosed);
        if (report.subjectId === by || report.reporterId === by) return refuse(ownReport);
        const decision = { kind: 'decide', policy: 'terms', actions: NO_ACTIONS, outcome } as const;
        if (report.caseId !== null) {
          const decided = await addEvent(tx, report.caseId, { ...decision, at: tx.now, byId: by }, {
            isAdmin: true,
          });
          if (decided === null || typeof decided === 'string') return refuse(reportClosed);
        }
        const closed = await close(tx, id, { by, outcome, note: cleanLines(note) });
        if (show) await releaseUnreported(recordings, tx, report.subjectId, show);
        await tx.audit({
          action: 'moderation.close',
          actorId: by,
          subject: `report:${id}`,
          reason: outcome,
        });
        const [view] = await viewsOf(tx, [closed]);
        if (!view) throw new Error('a report just closed has no view');
        return view;
      })
    ),
  ];
}
