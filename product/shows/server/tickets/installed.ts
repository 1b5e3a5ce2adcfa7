import type { Tx } from '#platform/data/data.ts';
import { MAX_TICKETS } from '../../rules/ticket-show.ts';
import { findHeldTickets, findOpenTicketShow, findTicket } from '../../store/tickets.ts';
import type { ModeOf } from '../modes.ts';

/** Whether the performer has an offered or running ticket show (spec 2 §5: the app is installed). */
export const isTicketShowInstalled = async (tx: Tx, performerId: number): Promise<boolean> =>
  (await findOpenTicketShow(tx, performerId)) !== null;

/** Whether the performer has a running ticket show. */
export const isTicketShowRunning = async (tx: Tx, performerId: number): Promise<boolean> =>
  (await findOpenTicketShow(tx, performerId))?.phase === 'running';

/** Mode of viewers who watch the performer's running ticket show with a ticket that was not given back. */
export const ticketMode: ModeOf = async (tx, viewerId, performerId) => {
  const row = await findOpenTicketShow(tx, performerId);
  if (row?.phase !== 'running') return null;
  return (await findTicket(tx, row.id, viewerId))?.state === 'held' ? 'limited' : null;
};

/** Ticket holders in the performer's running ticket show. */
export async function holdersIn(tx: Tx, performerId: number): Promise<number[]> {
  const row = await findOpenTicketShow(tx, performerId);
  if (row?.phase !== 'running') return [];
  return (await findHeldTickets(tx, row.id, MAX_TICKETS)).map((ticket) => ticket.viewer_id);
}
