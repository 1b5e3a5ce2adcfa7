import type { Tx } from '../../../../platform/data/data.ts';
import type {
  LimitedShowView, OwnTicketShowView, PublicTicketShowView, TicketView,
} from '../../contract/ticket-show.ts';
import { secondsIn } from '../../rules/ticket-show.ts';
import {
  findOpenTicketShow, findTicket, type BoughtTicket, type sumTickets, type TicketShowRow,
} from '../../store/tickets.ts';

export const publicView = (row: TicketShowRow): PublicTicketShowView => ({
  id: row.id, state: row.phase, ticket_price: row.ticket_price, recording_price: row.recording_price,
  refund_joined_minute_before_end: row.refund_minutes, limited_message: row.message,
  starts_at: row.starts_at.toISOString(), started_at: row.started_at?.toISOString() ?? null,
  minutes: row.minutes, minimum_tickets: row.minimum_tickets, sold: row.sold,
});

/** `limitedShow` of a room for one viewer; null while no ticket show is on. */
export async function limitedShowOf(
  tx: Tx, performerId: number, viewerId: number | null,
): Promise<LimitedShowView | null> {
  const row = await findOpenTicketShow(tx, performerId);
  if (!row) return null;
  const ticket = viewerId === null ? null : await findTicket(tx, row.id, viewerId);
  return { ...publicView(row), purchased_ticket: ticket?.state === 'held', purchased_recording: false };
}

export function ownView(
  row: TicketShowRow, sums: Awaited<ReturnType<typeof sumTickets>>,
): OwnTicketShowView {
  const { paid = 0, returned = 0, tokens = 0 } = sums.get(row.id) ?? {};
  return {
    ...publicView(row), offered_at: row.offered_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null, reason_ended: row.end_reason, paid, returned,
    paid_tokens: tokens,
  };
}

export const ticketView = (ticket: BoughtTicket, nameOf: (id: number) => string): TicketView => ({
  id: ticket.id, show_id: ticket.show_id, broadcaster: nameOf(ticket.performer_id),
  limited_message: ticket.message,
  tokens: ticket.price, state: ticket.state, reason_ended: ticket.end_reason,
  seconds_in: secondsIn(ticket.bought_at, ticket.started_at, ticket.ended_at),
  refund_joined_minute_before_end: ticket.refund_minutes, starts_at: ticket.starts_at.toISOString(),
  bought_at: ticket.bought_at.toISOString(), settled_at: ticket.settled_at?.toISOString() ?? null,
});
