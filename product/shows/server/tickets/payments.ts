import type { Leg, LedgerService, Operation } from '../../../ledger/server.ts';
import { PERFORMER_SHARE_PERCENT } from '../../../tips/rules.ts';
import type { TicketRow } from '../../store/tickets.ts';

type Bought = Pick<TicketRow, 'show_id' | 'viewer_id' | 'price'>;
type MakesIds = Pick<LedgerService, 'operationId'>;

/** Of a viewer, a show and an attempt alone: the same ticket is never paid twice. */
const idOf = (
  { operationId }: MakesIds, { show_id: show, viewer_id: viewer }: Bought, what: string,
): string => operationId(viewer, 'shows.ticket', `${show} ${what}`);

/** Sets the price of a ticket aside until `expiresAt`, which is after every end the show can have. */
export function holdTicket(
  ledger: MakesIds, ticket: Bought, { performerName, expiresAt }: {
    readonly performerName: string; readonly expiresAt: Date;
  },
): Operation {
  const { viewer_id: personId, price } = ticket;
  const person = { kind: 'person', personId } as const;
  return {
    id: idOf(ledger, ticket, 'hold'), kind: 'ticket_hold', parameterHash: String(price),
    legs: [
      { account: { ...person, book: 'tokens' }, tokens: -price },
      { account: { ...person, book: 'held' }, tokens: price },
    ],
    memo: { to: performerName, tokens: price, show: ticket.show_id }, facts: [], hold: { expiresAt },
  };
}

/** Pays a ticket to the performer and the operator, or gives its tokens back. */
export function settleOperation(
  ledger: MakesIds, ticket: Bought, performerId: number,
  { isPaid, viewerName, performerName, sharePercent }: {
    readonly isPaid: boolean; readonly viewerName: string; readonly performerName: string;
    readonly sharePercent: number | undefined;
  },
): Operation {
  const { price } = ticket;
  const earned = Math.floor((price * (sharePercent ?? PERFORMER_SHARE_PERCENT)) / 100);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: ticket.viewer_id, book: 'held' }, tokens: -price },
    { account: { kind: 'person', personId: performerId, book: 'earnings' }, tokens: earned, split: true },
    { account: { kind: 'operator', name: 'fees' }, tokens: price - earned },
  ];
  return {
    id: idOf(ledger, ticket, 'settle'), kind: isPaid ? 'ticket_show' : 'ticket_returned',
    parameterHash: String(isPaid), legs: isPaid ? legs.filter((leg) => leg.tokens !== 0) : [],
    memo: { from: viewerName, to: performerName, tokens: isPaid ? price : 0, show: ticket.show_id },
    facts: [], settles: { hold: idOf(ledger, ticket, 'hold'), close: true },
  };
}
