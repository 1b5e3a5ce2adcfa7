import { topicChannel, topicPersonChannel } from '../../../../platform/contract/event.ts';
import type { OperatorScope, Tx } from '../../../../platform/data/data.ts';
import { roomTopic } from '../../../rooms/rules.ts';
import { ticketBought, ticketSettled, ticketsSold } from '../../contract/ticket-show.ts';
import { isTicketPaid, secondsIn, SETTLED_AT_ONCE } from '../../rules/ticket-show.ts';
import {
  changeTicketShow, findHeldTickets, findOpenTicketShow, findTicket, findTicketShow, lockTicketShow,
  settleTicket, type TicketRow, type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { isPosted } from '../metering/payments.ts';
import { namesOf } from '../private/views.ts';
import { noticeReturn } from './notices.ts';
import { settleOperation } from './payments.ts';

/** Tickets of a show that is over, settled again after a process died in the middle. */
export const TICKETS_SETTLE = 'shows.ticketsSettle';

const isPaidOf = (show: TicketShowRow, ticket: TicketRow): boolean => isTicketPaid({
  end: show.end_reason, startedAt: show.started_at?.getTime() ?? null,
  endedAt: show.ended_at?.getTime() ?? null,
}, ticket.bought_at.getTime(), show.refund_minutes);

/** Settles the tickets of a show that is over, each once; a repetition goes on where it stopped. */
export async function settleAll(
  deps: ShowsDependencies, scope: OperatorScope, showId: number,
): Promise<void> {
  for (;;) {
    const settled = await deps.data.tx(scope, async (tx) => {
      const show = await findTicketShow(tx, showId);
      if (!show || show.end_reason === null) return 0;
      await lockTicketShow(tx, show.performer_id);
      const tickets = await findHeldTickets(tx, showId, SETTLED_AT_ONCE);
      await settle(deps, tx, show, tickets);
      return tickets.length;
    });
    if (settled < SETTLED_AT_ONCE) return;
  }
}

async function settle(
  deps: ShowsDependencies, tx: Tx, show: TicketShowRow, tickets: readonly TicketRow[],
): Promise<void> {
  if (tickets.length === 0 || show.end_reason === null) return;
  const { ledger, accounts, performerSharePercent: sharePercent } = deps;
  const { performer_id: performerId, started_at: startedAt, ended_at: endedAt } = show;
  const nameOf = await namesOf(accounts, tx, [performerId, ...tickets.map((one) => one.viewer_id)]);
  const decided = tickets.map((ticket) => ({ ticket, isPaid: isPaidOf(show, ticket) }));
  const outcomes = await ledger.post(tx, decided.map(({ ticket, isPaid }) => settleOperation(
    ledger, ticket, performerId, {
      isPaid, viewerName: nameOf(ticket.viewer_id), performerName: nameOf(performerId), sharePercent,
    },
  )));
  for (const [at, { ticket, isPaid }] of decided.entries()) {
    // A hold that has expired meanwhile gave everything back: nobody is charged later.
    const state = isPosted(outcomes[at]) && isPaid ? 'paid' : 'returned';
    await settleTicket(tx, ticket.id, state);
    if (state === 'returned') await noticeReturn(deps, tx, show, ticket);
    await tx.send(topicPersonChannel(roomTopic(performerId), ticket.viewer_id), ticketSettled, {
      id: show.id, state, tokens: ticket.price, reason_ended: show.end_reason,
      seconds_in: secondsIn(ticket.bought_at, startedAt, endedAt),
      refund_joined_minute_before_end: show.refund_minutes,
    });
  }
}

/** Gives the ticket of somebody back who may not enter the room any more; false without one. */
export async function returnTicket(
  deps: ShowsDependencies, tx: Tx, performerId: number, viewerId: number,
): Promise<boolean> {
  await lockTicketShow(tx, performerId);
  const show = await findOpenTicketShow(tx, performerId);
  const ticket = show && await findTicket(tx, show.id, viewerId);
  if (!show || ticket?.state !== 'held') return false;
  const nameOf = await namesOf(deps.accounts, tx, [performerId, viewerId]);
  await deps.ledger.post(tx, [settleOperation(deps.ledger, ticket, performerId, {
    isPaid: false, viewerName: nameOf(viewerId), performerName: nameOf(performerId), sharePercent: undefined,
  })]);
  await settleTicket(tx, ticket.id, 'returned');
  await changeTicketShow(tx, show.id, { sold: show.sold - 1 });
  const topic = roomTopic(performerId);
  await tx.send(topicChannel(topic), ticketsSold, { id: show.id, sold: show.sold - 1 });
  await tx.send(topicPersonChannel(topic, viewerId), ticketBought, { id: show.id, purchased: false });
  return true;
}
