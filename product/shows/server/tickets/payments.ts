import type { LedgerService, Operation } from '#product/ledger/server.ts';
import type { TicketRow } from '../../store/tickets.ts';
import { holdPledge, settlePledge } from '../pledges.ts';

type Bought = Pick<TicketRow, 'show_id' | 'viewer_id' | 'price'>;
/** What is bought: a ticket for a show, or the recording with it. */
type What = 'ticket' | 'ticket_recording';
const SCOPES = { ticket: 'shows.ticket', ticket_recording: 'shows.ticketRecording' } as const;
type MakesIds = Pick<LedgerService, 'operationId'>;

/** The id depends on viewer and show only: the same ticket is never paid for twice. */
function pledgeOf(
  { operationId }: MakesIds,
  { show_id: show, viewer_id: viewerId, price: tokens }: Bought,
  kind: What,
) {
  const idOf = (what: string): string => operationId(viewerId, SCOPES[kind], `${show} ${what}`);
  return { viewerId, tokens, show, kind, holdId: idOf('hold'), settleId: idOf('settle') } as const;
}

/** Sets the price aside until `expiresAt`, which is later than any end the show can have. */
export const holdTicket = (
  ledger: MakesIds,
  ticket: Bought,
  { performerName, expiresAt }: {
    readonly performerName: string;
    readonly expiresAt: Date;
  },
  kind: What = 'ticket',
): Operation =>
  holdPledge({ ...pledgeOf(ledger, ticket, kind), performerName }, {
    expiresAt,
    parameterHash: String(ticket.price),
  });

/** Pays the performer and the operator for a ticket or a recording, or gives its tokens back. */
export const settleOperation = (
  ledger: MakesIds,
  ticket: Bought,
  performerId: number,
  { isPaid, viewerName, performerName, sharePercent }: {
    readonly isPaid: boolean;
    readonly viewerName: string;
    readonly performerName: string;
    readonly sharePercent: number | undefined;
  },
  kind: What = 'ticket',
): Operation =>
  settlePledge(
    { ...pledgeOf(ledger, ticket, kind), performerId, viewerName, performerName },
    isPaid,
    sharePercent,
  );
