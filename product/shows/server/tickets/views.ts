import type { Tx } from '#platform/data/data.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import type {
  LimitedShowView,
  OwnTicketShowView,
  PublicTicketShowView,
  TicketView,
} from '../../contract/ticket-show.ts';
import { secondsIn } from '../../rules/ticket-show.ts';
import {
  findTicketRecording,
  sumRecordings,
  type TicketRecordingRow,
} from '../../store/ticket-recordings.ts';
import {
  findOpenTicketShow,
  findTicket,
  sumTickets,
  type BoughtTicket,
  type TicketShowRow,
} from '../../store/tickets.ts';

export const publicView = (row: TicketShowRow): PublicTicketShowView => ({
  id: row.id,
  state: row.phase,
  ticket_price: row.ticket_price,
  recording_price: row.recording_price,
  is_recorded: row.is_recorded,
  refund_joined_minute_before_end: row.refund_minutes,
  limited_message: row.message,
  starts_at: row.starts_at.toISOString(),
  started_at: row.started_at?.toISOString() ?? null,
  minutes: row.minutes,
  minimum_tickets: row.minimum_tickets,
  sold: row.sold,
  chat_line: row.chat_line,
});

/** `limitedShow` of a room for one viewer; null without an offered or running show. */
export async function limitedShowOf(
  tx: Tx,
  performerId: number,
  viewerId: number | null,
): Promise<LimitedShowView | null> {
  const row = await findOpenTicketShow(tx, performerId);
  if (!row) return null;
  const ticket = viewerId === null ? null : await findTicket(tx, row.id, viewerId);
  const recording = viewerId === null ? null : await findTicketRecording(tx, row.id, viewerId);
  return {
    ...publicView(row),
    purchased_ticket: ticket?.state === 'held',
    purchased_recording: recording?.state === 'held',
  };
}

/** Ticket shows for their performer, with what was paid for them. */
export async function ownViews(tx: Tx, rows: readonly TicketShowRow[]): Promise<OwnTicketShowView[]> {
  const ids = rows.map(({ id }) => id);
  const tickets = await sumTickets(tx, ids);
  const recordings = await sumRecordings(tx, ids);
  return rows.map((row) => {
    const { paid = 0, returned = 0, tokens = 0 } = tickets.get(row.id) ?? {};
    const recorded = recordings.get(row.id) ?? { paid: 0, tokens: 0 };
    return {
      ...publicView(row),
      offered_at: row.offered_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
      reason_ended: row.end_reason,
      paid,
      returned,
      paid_tokens: tokens,
      recordings_paid: recorded.paid,
      recording_tokens: recorded.tokens,
      recorded_seconds: row.recorded_ms === null ? null : Math.floor(row.recorded_ms / SECOND_MS),
    };
  });
}

export async function ownView(tx: Tx, row: TicketShowRow): Promise<OwnTicketShowView> {
  const [view] = await ownViews(tx, [row]);
  if (!view) throw new Error(`ticket show ${row.id} has no view`);
  return view;
}

/** @param recording the recording bought with the ticket; null for none */
export const ticketView = (
  ticket: BoughtTicket,
  recording: TicketRecordingRow | null,
  nameOf: (id: number) => string,
): TicketView => ({
  id: ticket.id,
  show_id: ticket.show_id,
  broadcaster: nameOf(ticket.performer_id),
  limited_message: ticket.message,
  tokens: ticket.price,
  state: ticket.state,
  reason_ended: ticket.end_reason,
  seconds_in: secondsIn(ticket.bought_at, ticket.started_at, ticket.ended_at),
  refund_joined_minute_before_end: ticket.refund_minutes,
  starts_at: ticket.starts_at.toISOString(),
  bought_at: ticket.bought_at.toISOString(),
  settled_at: ticket.settled_at?.toISOString() ?? null,
  recording: recording && {
    tokens: recording.price,
    state: recording.state,
    is_playable: recording.state === 'paid' && ticket.recorded_ms !== null,
  },
});
