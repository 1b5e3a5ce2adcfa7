import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { isDeepStrictEqual } from 'node:util';
import { ticketRecordingBought } from '../../contract/show-recording.ts';
import { ticketBought, ticketSettled, ticketsSold } from '../../contract/ticket-show.ts';
import {
  isTicketPaid,
  MAX_TICKETS,
  missedAfter,
  missedFrom,
  missedIn,
  secondsIn,
  SETTLED_AT_ONCE,
  shutOutAfter,
  type Missed,
  type ShutOut,
} from '../../rules/ticket-show.ts';
import {
  findHeldRecordings,
  settleTicketRecording,
  type TicketRecordingRow,
} from '../../store/ticket-recordings.ts';
import {
  changeTicket,
  changeTicketShow,
  findHeldTickets,
  findOpenTicketShow,
  findTicket,
  findTicketShow,
  lockTicketShow,
  settleTicket,
  type TicketRow,
  type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { isPosted } from '../metering/payments.ts';
import { namesOf } from '../private/views.ts';
import { completeRecording } from '../ticket-recordings/recording.ts';
import { noticeReturn } from './notices.ts';
import { settleOperation } from './payments.ts';

/** Settles the tickets of a finished show again if a process died halfway. */
export const TICKETS_SETTLE = 'shows.ticketsSettle';

const isPaidOf = (show: TicketShowRow, ticket: TicketRow): boolean =>
  isTicketPaid(
    {
      end: show.end_reason,
      startedAt: show.started_at?.getTime() ?? null,
      endedAt: show.ended_at?.getTime() ?? null,
      minutes: show.minutes,
    },
    ticket.bought_at.getTime(),
    show.refund_minutes,
    {
      shutOutMs: ticket.shut_out_ms,
      awayMs: ticket.away_ms,
    },
  );

/**
 * Checks which holders of a running show can watch it now: by the rules of the region they watch from, by
 * suspensions, and by the site's capacity. A holder who was given the video once can go back to the region
 * where that was, so a refusal elsewhere does not shut them out. What was missed before the first video is
 * judged by the region in which that video is given. A camera password does not affect ticket holders. A ban
 * gives the ticket back. Holders who ask for the deletion of their account still pay. While the video is away
 * nobody is shut out: that time is counted separately.
 */
export async function lookAtHolders(
  deps: ShowsDependencies,
  tx: Tx,
  show: TicketShowRow,
  only?: TicketRow,
): Promise<void> {
  const { id, started_at: startedAt } = show;
  if (startedAt === null) return;
  const tickets = only ? [only] : await findHeldTickets(tx, id, MAX_TICKETS);
  const holders = await deps.accounts.findMany(tx, tickets.map((ticket) => ticket.viewer_id));
  const isOpenIn = await openRegions(deps, tx, show, tickets);
  for (const ticket of tickets) {
    const look = {
      startedAt: startedAt.getTime(),
      minutes: show.minutes,
      hasPicture: show.away_since === null,
      isOpenIn: (region: string) => isOpenIn(ticket.viewer_id, region),
      isSuspended: isSuspended(holders.get(ticket.viewer_id)),
      nowMs: tx.now.getTime(),
    };
    const change = seenAfter(ticket, look);
    if (change) await changeTicket(tx, ticket.id, change);
  }
}

/** Which holders may see the performer now from each region where they watched or tried to. */
async function openRegions(
  { compliance }: ShowsDependencies,
  tx: Tx,
  { performer_id: performerId }: TicketShowRow,
  tickets: readonly TicketRow[],
): Promise<(personId: number, region: string) => boolean> {
  const open = new Map<string, boolean>();
  for (const ticket of tickets) {
    const { region, served_region: servedIn, missed_in: missed, viewer_id: personId } = ticket;
    for (const one of [region, servedIn, ...Object.keys(missed?.regions ?? {})]) {
      if (one === null || open.has(`${personId} ${one}`)) continue;
      const viewer = await compliance.viewerIn(tx, personId, one);
      open.set(`${personId} ${one}`, await compliance.mayPerceive(tx, viewer, performerId, 'media'));
    }
  }
  return (personId, region) => open.get(`${personId} ${region}`) === true;
}

const shutOutOf = ({ shut_out_since: since, shut_out_ms: ms }: TicketRow): ShutOut => ({
  since: since?.getTime() ?? null,
  ms,
});

/** What a holder who has had no video yet has missed so far, by region; null once they have had it. */
export function missedOf(ticket: TicketRow): Missed | null {
  const { region, served_region: servedIn, missed_in: missed } = ticket;
  if (missed !== null || region === null || servedIn !== null) return missed;
  return missedFrom(region, shutOutOf(ticket));
}

/** What a check changes in a ticket; null for nothing. */
function seenAfter(
  ticket: TicketRow,
  look: {
    readonly startedAt: number;
    readonly minutes: number;
    readonly hasPicture: boolean;
    readonly isOpenIn: (region: string) => boolean;
    readonly isSuspended: boolean;
    readonly nowMs: number;
  },
): Parameters<typeof changeTicket>[2] | null {
  const { region, served_region: servedIn, full_since: fullSince } = ticket;
  if (region === null) return null;
  const { hasPicture, nowMs } = look;
  const before = { seen: shutOutOf(ticket), missed: missedOf(ticket) };
  const isHindered = hasPicture && (fullSince !== null || look.isSuspended);
  const isOpenIn = (text: string): boolean => !hasPicture || look.isOpenIn(text);
  const mayWatch = !isHindered && (isOpenIn(region) || (servedIn !== null && isOpenIn(servedIn)));
  const missed = before.missed && missedAfter(before.missed, { region, isHindered, isOpenIn }, look, nowMs);
  const seen = missed && servedIn !== null
    ? missedIn(missed, servedIn)
    : shutOutAfter(before.seen, mayWatch, look, nowMs);
  const after = { seen, missed: servedIn === null ? missed : null };
  if (isDeepStrictEqual(after, before)) return null;
  return {
    shut_out_since: seen.since === null ? null : new Date(seen.since),
    shut_out_ms: seen.ms,
    missed_in: after.missed,
  };
}

const isSuspended = (person: Person | undefined): boolean =>
  person !== undefined && person.inactiveSince !== null
  && person.inactiveSince.getTime() !== person.deletionRequestedAt?.getTime();

/** Settles the tickets of a finished show, each once; a repetition continues where the last run stopped. */
export async function settleAll(
  deps: ShowsDependencies,
  scope: OperatorScope,
  showId: number,
): Promise<void> {
  // Buyers pay only if enough was recorded.
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
 * The show, read under its lock, with the decision whether its buyers got the recording. It is made once, so
 * that a deletion between two batches does not make some buyers pay and others not.
 */
async function decidedShow(tx: Tx, showId: number): Promise<TicketShowRow> {
  const show = await findTicketShow(tx, showId);
  if (!show) throw new Error(`ticket show ${showId} is gone`);
  if (show.is_recording_delivered !== null) return show;
  return changeTicketShow(tx, showId, { is_recording_delivered: show.recorded_ms !== null });
}

/** The decision about a ticket, and about the recording bought with it. */
interface Decision {
  readonly ticket: TicketRow;
  readonly recording: TicketRecordingRow | null;
  readonly isPaid: boolean;
  /** A holder who gets the ticket's tokens back gets the recording's back too. */
  readonly isRecordingPaid: boolean;
}

async function decide(tx: Tx, show: TicketShowRow, tickets: readonly TicketRow[]): Promise<Decision[]> {
  const held = await findHeldRecordings(tx, show.id, tickets.map((ticket) => ticket.viewer_id));
  return tickets.map((ticket) => {
    const isPaid = isPaidOf(show, ticket);
    const recording = held.find((item) => item.viewer_id === ticket.viewer_id) ?? null;
    return { ticket, recording, isPaid, isRecordingPaid: isPaid && show.is_recording_delivered === true };
  });
}

async function settle(
  deps: ShowsDependencies,
  tx: Tx,
  show: TicketShowRow,
  tickets: readonly TicketRow[],
): Promise<void> {
  if (tickets.length === 0 || show.end_reason === null) return;
  const { performer_id: performerId, started_at: startedAt, ended_at: endedAt } = show;
  const decided = await decide(tx, show, tickets);
  const isPostedOf = await postSettlements(deps, tx, show, decided);
  for (const { ticket, recording, isPaid, isRecordingPaid } of decided) {
    // A hold that has expired gave everything back: nobody is charged later.
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
      id: show.id,
      state,
      tokens: ticket.price,
      reason_ended: show.end_reason,
      seconds_in: secondsIn(ticket.bought_at, startedAt, endedAt),
      refund_joined_minute_before_end: show.refund_minutes,
      recording: recording && { state: recordingState, tokens: recording.price },
    });
  }
}

/** Posts the decisions in one batch. Returns whether the operation of a row was posted. */
async function postSettlements(
  { ledger, accounts, performerSharePercent: sharePercent }: ShowsDependencies,
  tx: Tx,
  { performer_id: performerId }: Pick<TicketShowRow, 'performer_id'>,
  decided: readonly Decision[],
): Promise<(row: TicketRow | TicketRecordingRow) => boolean> {
  const nameOf = await namesOf(accounts, tx, [performerId, ...decided.map(({ ticket }) => ticket.viewer_id)]);
  const toPost = decided.flatMap(({ ticket, recording, isPaid, isRecordingPaid }) => [
    { row: ticket, isPaid, kind: 'ticket' as const },
    ...(recording ? [{ row: recording, isPaid: isRecordingPaid, kind: 'ticket_recording' as const }] : []),
  ]);
  const outcomes = await ledger.post(
    tx,
    toPost.map(({ row, isPaid, kind }) =>
      settleOperation(
        ledger,
        row,
        performerId,
        {
          isPaid,
          viewerName: nameOf(row.viewer_id),
          performerName: nameOf(performerId),
          sharePercent,
        },
        kind,
      )
    ),
  );
  return (row) => isPosted(outcomes[toPost.findIndex((item) => item.row === row)]);
}

/** Gives back the ticket of somebody who may no longer enter the room; false if they have none. */
export async function returnTicket(
  deps: ShowsDependencies,
  tx: Tx,
  performerId: number,
  viewerId: number,
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
