import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Reportable } from '#product/moderation/extension-points.ts';
import { showNamed } from '#product/moderation/rules.ts';
import type { ShowKey } from '#product/recordings/rules.ts';
import {
  getShowRecording,
  getShowRecordingFile,
  showRecordingUnknown,
  showRecordingWithdrawn,
} from '../contract/show-recording.ts';
import { readPrivate } from '../store/privates.ts';
import { findTicketRecording } from '../store/ticket-recordings.ts';
import { findTicketShow } from '../store/tickets.ts';
import type { ShowsDependencies } from './dependencies.ts';

/** A recorded show of either kind, for this caller. */
interface Recorded {
  readonly performerId: number;
  /** Empty for a private show. */
  readonly message: string;
  readonly startedAt: Date;
  /** Null if there is nothing to watch. */
  readonly recordedMs: number | null;
  readonly isWithdrawn: boolean;
  /** Whether the caller, if not the performer, may watch it as long as they may enter the room. */
  readonly isFor: boolean;
}

async function ticketRecording(tx: Tx, showId: number, personId: number): Promise<Recorded | null> {
  const show = await findTicketShow(tx, showId);
  return show && {
    performerId: show.performer_id,
    message: show.message,
    startedAt: show.started_at ?? show.starts_at,
    recordedMs: show.recorded_ms,
    isWithdrawn: show.recording_withdrawn_at !== null,
    isFor: (await findTicketRecording(tx, showId, personId))?.state === 'paid',
  };
}

async function privateRecording(tx: Tx, showId: number, personId: number): Promise<Recorded | null> {
  const show = await readPrivate(tx, showId);
  if (!show || show.phase !== 'ended' || show.recording_performer_at === null) return null;
  return {
    performerId: show.performer_id,
    message: '',
    startedAt: show.started_at ?? show.requested_at,
    recordedMs: show.recorded_ms === 0 ? null : show.recorded_ms,
    isWithdrawn: show.recording_withdrawn_at !== null,
    isFor: show.viewer_id === personId,
  };
}

interface Watched extends Recorded {
  readonly recordedMs: number;
  readonly performer: Person;
}
/** People who may not watch a show learn nothing but `unknown`. */
type Watching = Watched | 'unknown' | 'withdrawn';

/**
 * Decides, for everything that plays a recorded show, whether the caller may watch it. Its performer may. So
 * may the viewer of the private show, and viewers who paid for a recording, if they may enter the room.
 */
async function watchedBy(
  { accounts, rooms }: ShowsDependencies,
  tx: Tx,
  context: CallContext,
  { mode, showId }: ShowKey,
): Promise<Watching> {
  const { personId } = context.caller;
  if (personId === null) return 'unknown';
  const show = await (mode === 'private' ? privateRecording : ticketRecording)(tx, showId, personId);
  const performer = show && await accounts.findById(tx, show.performerId);
  if (!show || !performer) return 'unknown';
  if (performer.id !== personId) {
    if (!show.isFor || 'refused' in await rooms.enter(tx, context, performer.username)) return 'unknown';
  }
  if (show.isWithdrawn) return 'withdrawn';
  const { recordedMs } = show;
  return recordedMs === null ? 'unknown' : { ...show, recordedMs, performer };
}

/** A show's recording as something that its viewers can report. */
export const reportableRecording = (deps: ShowsDependencies): Reportable => ({
  kind: 'recording',
  find: async (tx, context, { performer, id, within }) => {
    const show = showNamed(id, within);
    // A reported recording is there to be judged: the lock prevents a deletion in between.
    await deps.recordings.lockShow(tx, show);
    const watched = await watchedBy(deps, tx, context, show);
    return typeof watched !== 'string' && watched.performer.id === performer.id
      ? { text: watched.message, picture: null }
      : null;
  },
});

const REFUSALS = { unknown: showRecordingUnknown, withdrawn: showRecordingWithdrawn } as const;

export function watchingHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, recordings } = deps;
  return [
    handleCall(getShowRecording)(async ({ show: showId, mode = 'limited' }, context) =>
      data.tx(context.scope, async (tx) => {
        const show = { mode, showId };
        const watched = await watchedBy(deps, tx, context, show);
        if (typeof watched === 'string') return context.refuse(REFUSALS[watched]);
        const { performer, message, startedAt, recordedMs } = watched;
        const parts = await recordings.showPartsOf(tx, show);
        return {
          show_id: showId,
          mode,
          broadcaster: performer.username,
          display_name: performer.displayName,
          limited_message: message,
          started_at: startedAt.toISOString(),
          seconds: Math.floor(recordedMs / SECOND_MS),
          parts: parts.filter(({ isRunning }) => !isRunning).map((part) => ({
            id: part.id,
            seconds: Math.floor(part.durationMs / SECOND_MS),
            width: part.width,
            height: part.height,
          })),
        };
      })
    ),
    handleCall(getShowRecordingFile)(async ({ show: showId, part, mode = 'limited' }, context) => {
      const { scope, range } = context;
      const show = { mode, showId };
      const watched = await data.tx(scope, (tx) => watchedBy(deps, tx, context, show));
      if (typeof watched === 'string') return context.refuse(REFUSALS[watched]);
      const video = await recordings.readShowPart(scope, show, part, range);
      return video ?? context.refuse(showRecordingUnknown);
    }),
  ];
}
