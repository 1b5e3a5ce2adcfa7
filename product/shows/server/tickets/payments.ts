import type { LedgerService, Operation } from '../../../ledger/server.ts';
import type { TicketRow } from '../../store/tickets.ts';
import { holdPledge, settlePledge } from '../pledges.ts';

type Bought = Pick<TicketRow, 'show_id' | 'viewer_id' | 'price'>;
type MakesIds = Pick<LedgerService, 'operationId'>;

/** Of a viewer and a show alone: the same ticket is never paid twice. */
function pledgeOf({ operationId }: MakesIds, { show_id: show, viewer_id: viewerId, price: tokens }: Bought) {
  const idOf = (what: string): string => operationId(viewerId, 'shows.ticket', `${show} ${what}`);
  return { viewerId, tokens, show, kind: 'ticket', holdId: idOf('hold'), settleId: idOf('settle') } as const;
}

/** Sets the price of a ticket aside until `expiresAt`, which is after every end the show can have. */
export const holdTicket = (
  ledger: MakesIds, ticket: Bought, { performerName, expiresAt }: {
    readonly performerName: string; readonly expiresAt: Date;
  },
): Operation => holdPledge({ ...pledgeOf(ledger, ticket), performerName }, {
  expiresAt, parameterHash: String(ticket.price),
});

/** Pays a ticket to the performer and the operator, or gives its tokens back. */
export const settleOperation = (
  ledger: MakesIds, ticket: Bought, performerId: number,
  { isPaid, viewerName, performerName, sharePercent }: {
    readonly isPaid: boolean; readonly viewerName: string; readonly performerName: string;
    readonly sharePercent: number | undefined;
  },
): Operation => settlePledge(
  { ...pledgeOf(ledger, ticket), performerId, viewerName, performerName }, isPaid, sharePercent,
);
