import { handleCall, type CallHandler, type Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { Data, Tx } from '../../platform/data/data.ts';
import { cleanLines } from '../../platform/text/clean-text.ts';
import { personalData } from '../accounts/extension-points.ts';
import * as extensionPoints from './extension-points.ts';
import {
  closeReport, detailsMissing, listReports, ownReport, reportClosed, reportedUnknown, reportUnknown,
  sendReport, tooManyReports, type ReportView,
} from './contract.ts';
import { faultOf, isUrgent, mayReport, REPORT_REASONS, REPORTS_PAGE } from './rules.ts';
import { findReported, type ReportedDependencies } from './server/reported.ts';
import {
  closeReport as close, countOpen, countOpenByReason, insertReport, isReported, lockReport, selectReports,
  type ReportRow,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';

/** What later slices may ask: nothing yet. */
export type ModerationService = Readonly<Record<string, never>>;

export type ModerationDependencies = ReportedDependencies & { readonly data: Data };

/** Reports of what people see, and the queue they wait in until an admin decides. */
export function moderationSlice(deps: ModerationDependencies): Slice<ModerationService> {
  return {
    name: 'moderation', service: {}, extensionPoints,
    extensions: [implement(personalData, ownRows)],
    callHandlers: [reporting(deps), ...queueHandlers(deps)],
  };
}

function reporting(deps: ModerationDependencies): CallHandler {
  const { data } = deps;
  return handleCall(sendReport)(async (input, context) => {
    const { caller: { personId }, refuse } = context;
    const { kind, username, id = null, within = null, reason } = input;
    const details = cleanLines(input.details);
    const fault = faultOf({ kind, id, reason, details });
    if (fault !== null) return refuse(fault === 'unnamed' ? reportedUnknown : detailsMissing);
    return data.tx(context.scope, async (tx) => {
      const found = await findReported(deps, tx, context, { kind, username, id, within });
      if (!found) return refuse(reportedUnknown);
      if (found.subjectId === personId) return refuse(ownReport);
      const report = { kind, ...found, targetId: id, within, reporterId: personId, reason, details };
      if (personId !== null && await isReported(tx, report)) return { status: 1 as const };
      if (!mayReport(await countOpen(tx, personId), personId === null)) return refuse(tooManyReports);
      await insertReport(tx, report);
      return { status: 1 as const };
    });
  });
}

function queueHandlers({ data, accounts }: ModerationDependencies): CallHandler[] {
  const viewsOf = async (tx: Tx, rows: readonly ReportRow[]): Promise<ReportView[]> => {
    const people = await accounts.findMany(tx, [...new Set(rows.flatMap((row) =>
      [row.subjectId, row.roomId, row.reporterId, row.closedBy].filter((id) => id !== null)))]);
    const nameOf = (id: number | null): string | null =>
      (id === null ? null : people.get(id)?.username ?? null);
    return rows.map((row) => ({
      id: row.id, kind: row.kind, reason: row.reason, details: row.details, is_urgent: isUrgent(row.reason),
      username: nameOf(row.subjectId), room: row.roomId === row.subjectId ? null : nameOf(row.roomId),
      target_id: row.targetId, within: row.within, snapshot: row.snapshot, reporter: nameOf(row.reporterId),
      at: row.at.toISOString(), closed_at: row.closedAt?.toISOString() ?? null,
      closed_by: nameOf(row.closedBy), outcome: row.outcome, note: row.note,
    }));
  };
  return [
    handleCall(listReports)(({ before = null, closed = false, reason = null }, { scope }) =>
      data.tx(scope, async (tx) => {
        const rows = await selectReports(tx, { isClosed: closed, reason, before });
        const page = rows.slice(0, REPORTS_PAGE);
        const open = await countOpenByReason(tx);
        return {
          reports: await viewsOf(tx, page),
          next: rows.length > REPORTS_PAGE ? (page.at(-1)?.id ?? null) : null,
          open: open.toSorted((one, other) =>
            REPORT_REASONS.indexOf(one.reason) - REPORT_REASONS.indexOf(other.reason)),
        };
      })),
    handleCall(closeReport)(({ id, outcome, note }, { scope, caller, refuse }) =>
      data.tx(scope, async (tx) => {
        const report = await lockReport(tx, id);
        if (!report) return refuse(reportUnknown);
        if (report.closedAt !== null) return refuse(reportClosed);
        const by = caller.personId as number;
        if (report.subjectId === by) return refuse(ownReport);
        const closed = await close(tx, id, { by, outcome, note: cleanLines(note) });
        await tx.audit({
          action: 'moderation.close', actorId: by, subject: `report:${id}`, reason: outcome,
        });
        const [view] = await viewsOf(tx, [closed]);
        if (!view) throw new Error('a report just closed has no view');
        return view;
      })),
  ];
}
