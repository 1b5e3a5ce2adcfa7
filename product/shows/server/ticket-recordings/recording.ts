import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { recordingChanged, showRecordingDeleted } from '#product/recordings/contract.ts';
import type { ShowKey } from '#product/recordings/rules.ts';
import type { ShowPart } from '#product/recordings/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { ticketShowChanged } from '../../contract/ticket-show.ts';
import { isRecordingDelivered } from '../../rules/ticket-show.ts';
import {
  changeTicketShow,
  findOpenTicketShow,
  findTicketShow,
  lockTicketShow,
  type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { publicView } from '../tickets/views.ts';

const keyOf = (showId: number): ShowKey => ({ mode: 'limited', showId });

/** The running show of a performer with its stream, if a recording was agreed and has not been deleted. */
async function agreedShow({ broadcast }: ShowsDependencies, tx: Tx, performerId: number) {
  const row = await findOpenTicketShow(tx, performerId);
  if (row?.phase !== 'running' || row.recording_withdrawn_at !== null) return null;
  const { recording_consent_at: consentAt, recording_consent_version: consentVersion } = row;
  const { stream } = await broadcast.viewOf(tx, performerId);
  if (consentAt === null || consentVersion === null || stream === null) return null;
  return { ...keyOf(row.id), stream, title: row.message, consentAt, consentVersion };
}

/** Records the running show of a performer as agreed; does nothing for a show without a recording. */
export async function recordTicketShow(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  const show = await deps.data.tx(scope, (tx) => agreedShow(deps, tx, performerId));
  if (!show) return;
  await deps.recordings.recordShow(scope, performerId, show);
  await noteRecording(deps, scope, performerId);
}

/**
 * Stores whether the running show is being recorded, and notifies its room if that has changed. Drops what
 * was recorded after the performer withdrew the recording.
 */
async function noteRecording(
  { data, recordings }: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  const withdrawn = await data.tx(scope, async (tx) => {
    await lockTicketShow(tx, performerId);
    const row = await findOpenTicketShow(tx, performerId);
    if (row?.phase !== 'running' || row.recording_consent_at === null) return null;
    const parts = await recordings.showPartsOf(tx, keyOf(row.id));
    const isRecorded = parts.some(({ isRunning }) => isRunning);
    if (row.recording_withdrawn_at !== null) return isRecorded ? row.id : null;
    if (isRecorded === row.is_recorded) return null;
    const changed = await changeTicketShow(tx, row.id, { is_recorded: isRecorded });
    await tx.send(topicChannel(roomTopic(performerId)), ticketShowChanged, publicView(changed));
    return null;
  });
  if (withdrawn !== null) await recordings.dropShow(scope, performerId, keyOf(withdrawn));
}

const lengthOf = (parts: readonly ShowPart[]): number =>
  parts.reduce((sum, { durationMs }) => sum + durationMs, 0);

/** Ends the recording of a show that is over, and stores its length if its buyers get it. */
export async function completeRecording(
  { data, recordings }: ShowsDependencies,
  scope: OperatorScope,
  showId: number,
): Promise<void> {
  const show = await data.tx(scope, (tx) => findTicketShow(tx, showId));
  if (!show || show.end_reason === null || show.recording_consent_at === null) return;
  await recordings.endShow(scope, show.performer_id, keyOf(showId));
  await data.tx(scope, async (tx) => {
    await lockTicketShow(tx, show.performer_id);
    const now = await findTicketShow(tx, showId);
    // What its buyers got and paid for is not decided a second time.
    if (!now || now.recording_withdrawn_at !== null || now.is_recording_delivered !== null) return;
    const parts = (await recordings.showPartsOf(tx, keyOf(showId))).filter(({ isRunning }) => !isRunning);
    const isDelivered = isRecordingDelivered({
      end: now.end_reason,
      minutes: now.minutes,
      startedAt: now.started_at?.getTime() ?? null,
    }, parts.map(({ startedAt, durationMs }) => ({ startedAt: startedAt.getTime(), durationMs })));
    if (isDelivered) await changeTicketShow(tx, showId, { recorded_ms: lengthOf(parts) });
  });
}

/** A performer who deletes a recording stops its sale and playback, and this show is not recorded again. */
async function withdraw(tx: Tx, performerId: number, showId: number): Promise<TicketShowRow | null> {
  await lockTicketShow(tx, performerId);
  const show = await findTicketShow(tx, showId);
  if (show?.performer_id !== performerId || show.recording_withdrawn_at !== null) return null;
  return changeTicketShow(tx, showId, {
    recording_withdrawn_at: tx.now,
    is_recorded: false,
    recorded_ms: null,
  });
}

export const recordingSubscriptions = (deps: ShowsDependencies): Subscription[] => [
  subscribe(recordingChanged, 'shows.ticketRecordingChanged')(({ operatorId, payload: { performerId } }) =>
    noteRecording(deps, { operatorId }, performerId)
  ),
  subscribe(showRecordingDeleted, 'shows.ticketRecordingDeleted')(async ({ operatorId, payload }) => {
    const { performerId, showId, mode } = payload;
    if (mode === 'private') return;
    await deps.data.tx({ operatorId }, async (tx) => {
      const changed = await withdraw(tx, performerId, showId);
      if (changed?.phase !== 'running') return;
      await tx.send(topicChannel(roomTopic(performerId)), ticketShowChanged, publicView(changed));
    });
    // A part may have begun since the deletion.
    await noteRecording(deps, { operatorId }, performerId);
  }),
];
