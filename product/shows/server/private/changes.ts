import { nextShow, type ShowEvent } from '../../rules/private.ts';
import type { PrivateChange, PrivateRow } from '../../store/privates.ts';

/** Deadlines of requests and of shows that start. */
export const PRIVATE_DEADLINE = 'shows.privateDeadline';

const stateOf = (row: PrivateRow) => ({
  phase: row.phase,
  deadline: row.deadline?.getTime() ?? null,
  startedAt: row.started_at?.getTime() ?? null,
  endReason: row.end_reason,
});

/** A row after an event; null when it does not belong to the phase. */
export function changeBy(row: PrivateRow, event: ShowEvent, now: Date): PrivateChange | null {
  const before = stateOf(row);
  const after = nextShow(before, event, now.getTime());
  if (after === before) return null;
  return {
    phase: after.phase,
    deadline: after.deadline === null ? null : new Date(after.deadline),
    started_at: after.startedAt === null ? null : new Date(after.startedAt),
    end_reason: after.endReason,
    is_recorded: row.is_recorded && after.phase === 'running',
  };
}
