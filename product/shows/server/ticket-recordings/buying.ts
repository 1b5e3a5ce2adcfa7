import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { HandlerContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { discounted } from '#product/fanclubs/rules/benefits.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import {
  buyTicketRecording,
  recordingBought,
  recordingNoTicket,
  recordingNotMade,
  recordingNotOffered,
  recordingNotRunning,
  recordingPriceDiffers,
  ticketRecordingBought,
} from '../../contract/show-recording.ts';
import { ownTicket, ticketNotOffered } from '../../contract/ticket-show.ts';
import { barOfRecording, HOLD_RESERVE_MS, latestEnd, type RecordingBar } from '../../rules/ticket-show.ts';
import { findTicketRecording, insertTicketRecording } from '../../store/ticket-recordings.ts';
import {
  findOpenTicketShow,
  findTicket,
  lockTicketShow,
  type TicketRow,
  type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { namesOf } from '../private/views.ts';
import { holdTicket } from '../tickets/payments.ts';
import { ticketView } from '../tickets/views.ts';

type Refusal = RefusalOf<typeof buyTicketRecording>;
type BuyContext = HandlerContext<Refusal, number>;

const BARS = {
  own_ticket: ownTicket,
  ticket_not_offered: ticketNotOffered,
  recording_not_running: recordingNotRunning,
  recording_no_ticket: recordingNoTicket,
  recording_not_offered: recordingNotOffered,
  recording_bought: recordingBought,
  recording_not_made: recordingNotMade,
} as const satisfies Record<RecordingBar, unknown>;

interface Offer {
  readonly show: TicketShowRow;
  readonly ticket: TicketRow;
  readonly price: number;
}

/** The recording that this viewer can buy now, and its price for them. */
async function offered(
  { fanclubs }: ShowsDependencies,
  tx: Tx,
  context: BuyContext,
  performerId: number,
  shown: number,
): Promise<Refused<Refusal> | Offer> {
  const { refuse } = context;
  const viewerId = context.personId;
  const show = await findOpenTicketShow(tx, performerId);
  const ticket = show && await findTicket(tx, show.id, viewerId);
  const bought = show && await findTicketRecording(tx, show.id, viewerId);
  const bar = barOfRecording({
    isOwn: performerId === viewerId,
    ticket: ticket?.state ?? null,
    isBought: bought !== null,
    show: show && {
      phase: show.phase,
      recordingPrice: show.recording_price,
      isRecorded: show.is_recorded,
    },
  });
  if (bar !== null) return refuse(BARS[bar]);
  if (!show || !ticket) throw new Error('a recording without a show or a ticket has a refusal');
  const price = discounted(show.recording_price, await fanclubs.levelOf(tx, viewerId, performerId));
  if (price !== shown) return refuse(recordingPriceDiffers, { values: { price }, extra: { price } });
  return { show, ticket, price };
}

export function buyRecordingHandler(deps: ShowsDependencies): CallHandler {
  const { data, rooms, ledger, accounts } = deps;
  return handleCall(buyTicketRecording)(async ({ username, price: shown }, context) => {
    const { scope, refuse } = context;
    return data.tx(scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: performer } = entry;
      await lockTicketShow(tx, performer.id);
      const offer = await offered(deps, tx, context, performer.id, shown);
      if (offer instanceof Refused) return offer;
      const { show, ticket, price } = offer;
      const viewerId = context.personId;
      const of = { show_id: show.id, viewer_id: viewerId, price };
      const last = latestEnd({ startsAt: show.starts_at.getTime(), minutes: show.minutes });
      const [outcome] = await ledger.post(tx, [holdTicket(ledger, of, {
        performerName: performer.username,
        expiresAt: new Date(last + HOLD_RESERVE_MS),
      }, 'ticket_recording')]);
      if (!outcome) throw new Error(`recording of show ${show.id}: the ledger said nothing`);
      if (!('balances' in outcome)) {
        return ledger.refuse(tx, outcome, { personId: viewerId, tokens: price }, refuse);
      }
      const recording = await insertTicketRecording(tx, of);
      await tx.send(topicPersonChannel(roomTopic(performer.id), viewerId), ticketRecordingBought, {
        id: show.id,
        purchased: true,
      });
      const nameOf = await namesOf(accounts, tx, [performer.id]);
      return {
        tokens: await ledger.balance(tx, viewerId),
        ticket: ticketView({ ...show, ...ticket }, recording, nameOf),
      };
    });
  });
}
