import { handleCall, type CallHandler } from '../../../../platform/contract/bind.ts';
import type { CallContext } from '../../../../platform/contract/context.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import type { Person } from '../../../accounts/server.ts';
import {
  getShowRecording, getShowRecordingFile, showRecordingUnknown,
} from '../../contract/ticket-recording.ts';
import { findTicketRecording } from '../../store/ticket-recordings.ts';
import { findTicketShow, type TicketShowRow } from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';

interface Watched {
  readonly show: TicketShowRow;
  readonly performer: Person;
}

/**
 * Decides, for everything that shows a recorded ticket show, whether the caller may watch it: its performer
 * may, and whoever paid for it and may enter her room. Null for everybody else, and for what does not exist.
 */
async function watchedBy(
  { accounts, rooms }: ShowsDependencies, tx: Tx, context: CallContext, showId: number,
): Promise<Watched | null> {
  const { personId } = context.caller;
  const show = personId === null ? null : await findTicketShow(tx, showId);
  if (!show || show.recorded_ms === null || personId === null) return null;
  const performer = await accounts.findById(tx, show.performer_id);
  if (!performer) return null;
  if (performer.id === personId) return { show, performer };
  const recording = await findTicketRecording(tx, showId, personId);
  if (recording?.state !== 'paid') return null;
  const entry = await rooms.enter(tx, context, performer.username);
  return 'refused' in entry ? null : { show, performer };
}

export function watchingHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, recordings } = deps;
  return [
    handleCall(getShowRecording)(async ({ show: id }, context) => data.tx(context.scope, async (tx) => {
      const watched = await watchedBy(deps, tx, context, id);
      if (!watched) return context.refuse(showRecordingUnknown);
      const { show, performer } = watched;
      const parts = await recordings.showPartsOf(tx, [id]);
      return {
        show_id: id, broadcaster: performer.username, display_name: performer.displayName,
        limited_message: show.message, started_at: (show.started_at ?? show.starts_at).toISOString(),
        seconds: Math.floor((show.recorded_ms ?? 0) / SECOND_MS),
        parts: parts.filter(({ isRunning }) => !isRunning).map((part) => ({
          id: part.id, seconds: Math.floor(part.durationMs / SECOND_MS), width: part.width,
          height: part.height,
        })),
      };
    })),
    handleCall(getShowRecordingFile)(async ({ show: showId, part: id }, context) => {
      const { scope, range } = context;
      const isAllowed = await data.tx(scope, async (tx) =>
        (await watchedBy(deps, tx, context, showId)) !== null);
      const video = isAllowed ? await recordings.readShowPart(scope, { showId, id }, range) : null;
      return video ?? context.refuse(showRecordingUnknown);
    }),
  ];
}
