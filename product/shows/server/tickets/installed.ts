import type { Tx } from '#platform/data/data.ts';
import { MAX_TICKETS } from '../../rules/ticket-show.ts';
import { findHeldTickets, findOpenTicketShow, findTicket } from '../../store/tickets.ts';
import type { ModeOf } from '../modes.ts';

/** Whether a ticket show of the performer is offered or runs (spec 2 §5: the app is installed). */
export const isTicketShowInstalled = async (tx: Tx, performerId: number): Promise<boolean> =>
  (await findOpenTicketShow(tx, performerId)) !== null;

/** Whether a ticket show of the performer runs. */
export const isTicketShowRunning = async (tx: Tx, performerId: number): Promise<boolean> =>
  (await findOpenTicketShow(tx, performerId))?.phase === 'running';

/** Of whoever watches the performer's running ticket show by a ticket that was not given back. */
export const ticketMode: ModeOf = async (tx, viewerId, performerId) => {
  const row = await findOpenTicketShow(tx, performerId);
  if (row?.phase !== 'running') return null;
  return (await findTicket(tx, row.id, viewerId))?.state === 'held' ? 'limited' : null;
};

/** Whoever is in the performer's running ticket show. */
export async function holdersIn(tx: Tx, performerId: number): Promise<number[]> {
  const row = await findOpenTicketShow(tx, performerId);
  if (row?.phase !== 'running') return [];
  return (await findHeldTickets(tx, row.id, MAX_TICKETS)).map((ticket) => ticket.viewer_id);
}
