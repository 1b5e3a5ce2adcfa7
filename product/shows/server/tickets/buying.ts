import { handleCall, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { discounted } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  buyTicket,
  getTickets,
  getTicketShow,
  ownTicket,
  ticketBought,
  ticketHeld,
  ticketNotOffered,
  ticketPriceDiffers,
  ticketSoldOut,
  ticketsSold,
} from '../../contract/ticket-show.ts';
import { HOLD_RESERVE_MS, latestEnd, MAX_TICKETS, TICKETS_PAGE } from '../../rules/ticket-show.ts';
import { findRecordingsOf } from '../../store/ticket-recordings.ts';
import {
  changeTicketShow,
  findOpenTicketShow,
  findTicket,
  findTicketsOf,
  insertTicket,
  lockTicketShow,
  type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { expelled } from '../expelled.ts';
import { namesOf } from '../private/views.ts';
import { buyRecordingHandler } from '../ticket-recordings/buying.ts';
import { holdTicket } from './payments.ts';
import { sendJoined } from './running.ts';
import { returnTicket } from './settling.ts';
import { limitedShowOf, ticketView } from './views.ts';

type BuyContext = HandlerContext<RefusalOf<typeof buyTicket>, number>;

/** The show for which a ticket can be bought, and its price for this viewer. */
async function offered(
  { fanclubs }: ShowsDependencies,
  tx: Tx,
  context: BuyContext,
  performerId: number,
  shown: number,
): Promise<Refused<RefusalOf<typeof buyTicket>> | { readonly show: TicketShowRow; readonly price: number }> {
  const { refuse } = context;
  const viewerId = context.personId;
  if (performerId === viewerId) return refuse(ownTicket);
  const show = await findOpenTicketShow(tx, performerId);
  if (!show) return refuse(ticketNotOffered);
  // A viewer whose ticket was given back after a ban cannot come back with another ticket.
  if (await findTicket(tx, show.id, viewerId)) return refuse(ticketHeld);
  const price = discounted(show.ticket_price, await fanclubs.levelOf(tx, viewerId, performerId));
  if (price !== shown) return refuse(ticketPriceDiffers, { values: { price }, extra: { price } });
  return show.sold >= MAX_TICKETS ? refuse(ticketSoldOut) : { show, price };
}

function buyHandler(deps: ShowsDependencies): CallHandler {
  const { data, rooms, ledger, accounts, broadcast, compliance } = deps;
  return handleCall(buyTicket)(async ({ username, price: shown }, context) => {
    const { scope, refuse } = context;
    const bought = await data.tx(scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: performer } = entry;
      await lockTicketShow(tx, performer.id);
      const offer = await offered(deps, tx, context, performer.id, shown);
      if (offer instanceof Refused) return offer;
      const { show, price } = offer;
      const viewerId = context.personId;
      const { region } = compliance.viewerOf(context);
      const of = { show_id: show.id, viewer_id: viewerId, price, region };
      const last = latestEnd({ startsAt: show.starts_at.getTime(), minutes: show.minutes });
      const [outcome] = await ledger.post(tx, [holdTicket(ledger, of, {
        performerName: performer.username,
        expiresAt: new Date(last + HOLD_RESERVE_MS),
      })]);
      if (!outcome) throw new Error(`ticket of show ${show.id}: the ledger said nothing`);
      if (!('balances' in outcome)) {
        return ledger.refuse(tx, outcome, { personId: viewerId, tokens: price }, refuse);
      }
      const ticket = await insertTicket(tx, of);
      const sold = show.sold + 1;
      await changeTicketShow(tx, show.id, { sold });
      const topic = roomTopic(performer.id);
      await tx.send(topicPersonChannel(topic, viewerId), ticketBought, { id: show.id, purchased: true });
      await tx.send(topicChannel(topic), ticketsSold, { id: show.id, sold });
      if (show.phase === 'running') {
        const { stream } = await broadcast.viewOf(tx, performer.id);
        await sendJoined(deps, tx, show, viewerId, stream);
        await rooms.sendShowChat(tx, performer.id, [viewerId]);
      }
      const nameOf = await namesOf(accounts, tx, [performer.id]);
      return {
        performerId: performer.id,
        tokens: await ledger.balance(tx, viewerId),
        ticket: ticketView({ ...show, ...ticket }, null, nameOf),
      };
    });
    if (bought instanceof Refused) return bought;
    const { performerId, ...answer } = bought;
    // The last decision about one of this viewer's players may be half a second old.
    await broadcast.review(scope, performerId);
    return answer;
  });
}

export function buyingHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, rooms, accounts } = deps;
  return [
    buyHandler(deps),
    buyRecordingHandler(deps),
    handleCall(getTicketShow)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const entry = await rooms.enter(tx, context, username);
        if ('refused' in entry) return refuseEntry(context, entry.refused);
        return { show: await limitedShowOf(tx, entry.owner.id, context.caller.personId) };
      })
    ),
    handleCall(getTickets)(async ({ before }, context) =>
      data.tx(context.scope, async (tx) => {
        const found = await findTicketsOf(tx, context.personId, before ?? null);
        const { page: tickets, next } = pageOf(found, TICKETS_PAGE);
        const nameOf = await namesOf(accounts, tx, tickets.map((ticket) => ticket.performer_id));
        const shows = tickets.map((ticket) => ticket.show_id);
        const recordings = await findRecordingsOf(tx, context.personId, shows);
        return {
          tickets: tickets.map((ticket) =>
            ticketView(ticket, recordings.get(ticket.show_id) ?? null, nameOf)
          ),
          next,
        };
      })
    ),
  ];
}

/** A ticket holder who is banned or kicked from a room loses the ticket, and gets the tokens back at once. */
export const removedHolders = (deps: ShowsDependencies): Subscription =>
  expelled('shows.ticketHolderRemoved', async ({ operatorId, performerId, personId }) => {
    const isReturned = await deps.data.tx(
      { operatorId },
      (tx) => returnTicket(deps, tx, performerId, personId),
    );
    if (isReturned) await deps.broadcast.review({ operatorId }, performerId);
  });
