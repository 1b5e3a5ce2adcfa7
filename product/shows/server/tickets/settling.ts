import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { ticketRecordingBought } from '../../contract/show-recording.ts';
import { ticketBought, ticketSettled, ticketsSold } from '../../contract/ticket-show.ts';
import {
  isTicketPaid, MAX_TICKETS, secondsIn, SETTLED_AT_ONCE, shutOutAfter,
} from '../../rules/ticket-show.ts';
import {
  changeTicket, changeTicketShow, findHeldTickets, findOpenTicketShow, findTicket, findTicketShow,
  lockTicketShow, settleTicket, type TicketRow, type TicketShowRow,
} from '../../store/tickets.ts';
import {
  findHeldRecordings, settleTicketRecording, type TicketRecordingRow,
} from '../../store/ticket-recordings.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { isPosted } from '../metering/payments.ts';
import { namesOf } from '../private/views.ts';
import { completeRecording } from '../ticket-recordings/recording.ts';
import { noticeReturn } from './notices.ts';
import { settleOperation } from './payments.ts';

/** Tickets of a show that is over, settled again after a process died in the middle. */
export const TICKETS_SETTLE = 'shows.ticketsSettle';

const isPaidOf = (show: TicketShowRow, ticket: TicketRow): boolean => isTicketPaid({
  end: show.end_reason, startedAt: show.started_at?.getTime() ?? null,
  endedAt: show.ended_at?.getTime() ?? null, minutes: show.minutes,
}, ticket.bought_at.getTime(), show.refund_minutes, {
  shutOutMs: ticket.shut_out_ms, awayMs: ticket.away_ms,
});

/**
 * Looks which holders of a running show can watch it now: from where they watch, by the rule that holds there
 * now, whether the site suspended them, and whether it has capacity for them. Whoever was given the picture
 * can go back to where that was: what they ask from elsewhere shuts nobody out. A camera password does not
 * concern them. A ban gives the ticket back, and who asks for the deletion of their account pays. While the
 * picture is away nobody is shut out: that time is counted by itself.
 */
export async function lookAtHolders(
  { accounts, compliance }: ShowsDependencies, tx: Tx, show: TicketShowRow,
  only?: TicketRow,
): Promise<void> {
  const { id, performer_id: performerId, started_at: startedAt, minutes } = show;
  if (startedAt === null) return;
  const times = { startedAt: startedAt.getTime(), minutes };
  const nowMs = tx.now.getTime();
  const tickets = only ? [only] : await findHeldTickets(tx, id, MAX_TICKETS);
  const holders = await accounts.findMany(tx, tickets.map((ticket) => ticket.viewer_id));
  const ofRegion = new Map<string, boolean>();
  const isOpenIn = async (region: string, personId: number): Promise<boolean> => {
    const isOpen = ofRegion.get(region)
      ?? await compliance.mayPerceive(tx, compliance.viewerIn(personId, region), performerId, 'media');
    ofRegion.set(region, isOpen);
    return isOpen;
  };
  for (const ticket of tickets) {
    const {
      region, served_region: servedIn, viewer_id: personId, shut_out_since: since, shut_out_ms: ms,
    } = ticket;
    if (region === null) continue;
    const isOpen = await isOpenIn(region, personId)
      || (servedIn !== null && await isOpenIn(servedIn, personId));
    const before = { since: since?.getTime() ?? null, ms };
    const isServed = isOpen && ticket.full_since === null && !isSuspended(holders.get(personId));
    const mayWatch = show.away_since !== null || isServed;
    const after = shutOutAfter(before, mayWatch, times, nowMs);
    if (after.since === before.since && after.ms === ms) continue;
    await changeTicket(tx, ticket.id, {
      shut_out_since: after.since === null ? null : new Date(after.since), shut_out_ms: after.ms,
    });
  }
}

const isSuspended = (person: Person | undefined): boolean =>
  person !== undefined && person.inactiveSince !== null
  && person.inactiveSince.getTime() !== person.deletionRequestedAt?.getTime();

/** Settles the tickets of a show that is over, each once; a repetition goes on where it stopped. */
export async function settleAll(
  deps: ShowsDependencies, scope: OperatorScope, showId: number,
): Promise<void> {
  // What was recorded decides whether its buyers pay.
  await completeRecording(deps, scope, showId);
  for (;;) {
    const settled = await deps.data.tx(scope, async (tx) => {
      const over = await findTicketShow(tx, showId);
      if (!over || over.end_reason === null) return 0;
      await lockTicketShow(tx, over.performer_id);
      const tickets = await findHeldTickets(tx, showId, SETTLED_AT_ONCE);
      await settle(deps, tx, await decidedShow(tx, showId), tickets);
      return tickets.length;
    });
    if (settled < SETTLED_AT_ONCE) return;
  }
}

/**
 * The show, read under its lock, with the decision whether its buyers got the recording: it is made once, so
 * that a deletion between two batches does not part those who pay from those who do not.
 */
async function decidedShow(tx: Tx, showId: number): Promise<TicketShowRow> {
  const show = await findTicketShow(tx, showId);
  if (!show) throw new Error(`ticket show ${showId} is gone`);
  if (show.is_recording_delivered !== null) return show;
  return changeTicketShow(tx, showId, { is_recording_delivered: show.recorded_ms !== null });
}

/** What becomes of a ticket, and of the recording that was bought with it. */
interface Decision {
  readonly ticket: TicketRow;
  readonly recording: TicketRecordingRow | null;
  readonly isPaid: boolean;
  /** Whoever gets the ticket's tokens back gets those of the recording back too. */
  readonly isRecordingPaid: boolean;
}

async function decide(tx: Tx, show: TicketShowRow, tickets: readonly TicketRow[]): Promise<Decision[]> {
  const held = await findHeldRecordings(tx, show.id, tickets.map((ticket) => ticket.viewer_id));
  return tickets.map((ticket) => {
    const isPaid = isPaidOf(show, ticket);
    const recording = held.find((one) => one.viewer_id === ticket.viewer_id) ?? null;
    return { ticket, recording, isPaid, isRecordingPaid: isPaid && show.is_recording_delivered === true };
  });
}

async function settle(
  deps: ShowsDependencies, tx: Tx, show: TicketShowRow, tickets: readonly TicketRow[],
): Promise<void> {
  if (tickets.length === 0 || show.end_reason === null) return;
  const { performer_id: performerId, started_at: startedAt, ended_at: endedAt } = show;
  const decided = await decide(tx, show, tickets);
  const isPostedOf = await postSettlements(deps, tx, show, decided);
  for (const { ticket, recording, isPaid, isRecordingPaid } of decided) {
    // A hold that has expired meanwhile gave everything back: nobody is charged later.
    const state = isPaid && isPostedOf(ticket) ? 'paid' : 'returned';
    await settleTicket(tx, ticket.id, state);
    const recordingState = recording && isRecordingPaid && isPostedOf(recording) ? 'paid' : 'returned';
    if (recording) await settleTicketRecording(tx, recording.id, recordingState);
    const isRecordingBack = recording !== null && recordingState === 'returned';
    if (state === 'returned') {
      const tokens = ticket.price + (isRecordingBack ? recording.price : 0);
      await noticeReturn(deps, tx, show, { ticket, tokens });
    }
    await tx.send(topicPersonChannel(roomTopic(performerId), ticket.viewer_id), ticketSettled, {
      id: show.id, state, tokens: ticket.price, reason_ended: show.end_reason,
      seconds_in: secondsIn(ticket.bought_at, startedAt, endedAt),
      refund_joined_minute_before_end: show.refund_minutes,
      recording: recording && { state: recordingState, tokens: recording.price },
    });
  }
}

/** Posts what was decided in one batch; answers whether the operation of a row was posted. */
async function postSettlements(
  { ledger, accounts, performerSharePercent: sharePercent }: ShowsDependencies, tx: Tx,
  { performer_id: performerId }: Pick<TicketShowRow, 'performer_id'>, decided: readonly Decision[],
): Promise<(row: TicketRow | TicketRecordingRow) => boolean> {
  const nameOf = await namesOf(accounts, tx, [performerId, ...decided.map(({ ticket }) => ticket.viewer_id)]);
  const toPost = decided.flatMap(({ ticket, recording, isPaid, isRecordingPaid }) => [
    { row: ticket, isPaid, kind: 'ticket' as const },
    ...(recording ? [{ row: recording, isPaid: isRecordingPaid, kind: 'ticket_recording' as const }] : []),
  ]);
  const outcomes = await ledger.post(tx, toPost.map(({ row, isPaid, kind }) => settleOperation(
    ledger, row, performerId, {
      isPaid, viewerName: nameOf(row.viewer_id), performerName: nameOf(performerId), sharePercent,
    }, kind,
  )));
  return (row) => isPosted(outcomes[toPost.findIndex((one) => one.row === row)]);
}

/** Gives the ticket of somebody back who may not enter the room any more; false without one. */
export async function returnTicket(
  deps: ShowsDependencies, tx: Tx, performerId: number, viewerId: number,
): Promise<boolean> {
  await lockTicketShow(tx, performerId);
  const show = await findOpenTicketShow(tx, performerId);
  const ticket = show && await findTicket(tx, show.id, viewerId);
  if (!show || ticket?.state !== 'held') return false;
  const [recording = null] = await findHeldRecordings(tx, show.id, [viewerId]);
  await postSettlements(deps, tx, show, [{ ticket, recording, isPaid: false, isRecordingPaid: false }]);
  await settleTicket(tx, ticket.id, 'returned');
  await changeTicketShow(tx, show.id, { sold: show.sold - 1 });
  const topic = roomTopic(performerId);
  const toHolder = topicPersonChannel(topic, viewerId);
  await tx.send(topicChannel(topic), ticketsSold, { id: show.id, sold: show.sold - 1 });
  await tx.send(toHolder, ticketBought, { id: show.id, purchased: false });
  if (show.phase === 'running') await deps.rooms.sendShowChat(tx, performerId, [viewerId]);
  if (recording) {
    await settleTicketRecording(tx, recording.id, 'returned');
    await tx.send(toHolder, ticketRecordingBought, { id: show.id, purchased: false });
  }
  return true;
}
