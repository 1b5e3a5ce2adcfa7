import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import { topicChannel } from '#platform/contract/event.ts';
import { Refused } from '#platform/contract/refusal.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { recordingConsentOutdated } from '#product/recordings/contract.ts';
import { isCurrentConsent } from '#product/recordings/rules.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { localeOf } from '#product/tips/server.ts';
import {
  cancelTicketShow,
  endTicketShow,
  getOwnTicketShows,
  offerTicketShow,
  recordingPriceTooLow,
  startTicketShow,
  ticketBusy,
  ticketConsentMissing,
  ticketMessageEmpty,
  ticketNotLive,
  ticketNotOffered,
  ticketOfferChanged,
  ticketRefundTooLong,
  ticketShowChanged,
  ticketTooEarly,
  ticketUnderMinimum,
} from '../../contract/ticket-show.ts';
import {
  barOfStart,
  MIN_TICKET_PRICE,
  TICKET_CONSENT_VERSION,
  TICKETS_PAGE,
  type StartBar,
} from '../../rules/ticket-show.ts';
import { findQueue, lockPrivates } from '../../store/privates.ts';
import {
  findOpenTicketShow,
  findPastTicketShows,
  findTicketShow,
  insertTicketShow,
  lockTicketShow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { answerRequest, sendQueue } from '../private/requests.ts';
import { applyToShow, changeByEvent, movePicture, scheduleTicketDeadline } from './running.ts';
import { ownView, ownViews, publicView } from './views.ts';

const BARS = {
  ticket_too_early: ticketTooEarly,
  ticket_under_minimum: ticketUnderMinimum,
  ticket_not_offered: ticketNotOffered,
} as const satisfies Record<StartBar, unknown>;

/** Declines requests for private shows, which cannot take place now. */
async function declineAll(deps: ShowsDependencies, tx: Tx, performerId: number): Promise<void> {
  const waiting = await findQueue(tx, performerId);
  for (const row of waiting) await answerRequest(deps, tx, row, { kind: 'declined' });
  if (waiting.length > 0) await sendQueue(deps, tx, performerId);
}

/** Offers the show in the chat, for everybody in the room now or later. Returns the number of the line. */
async function offerInChat(
  { accounts, rooms, text }: ShowsDependencies,
  tx: Tx,
  performerId: number,
  { minutes, ticket_price: amount }: InputOf<typeof offerTicketShow>,
  message: string,
): Promise<number> {
  const performer = await accounts.findById(tx, performerId);
  if (!performer) throw new Error(`performer ${performerId} offers a show and has no account`);
  const said = text(localeOf(performer), 'shows:ticket.line', { message, minutes, amount });
  return rooms.notice(tx, performerId, said);
}

function offerHandler(deps: ShowsDependencies): CallHandler {
  const { data, rooms } = deps;
  return handleCall(offerTicketShow)(async (input, context) =>
    data.tx(context.scope, async (tx) => {
      const performerId = context.personId;
      const message = cleanText(input.message);
      if (message === '') return context.refuse(ticketMessageEmpty);
      const { minutes, refund_joined_minute_before_end: refundMinutes } = input;
      if (refundMinutes > minutes) return context.refuse(ticketRefundTooLong, { values: { minutes } });
      const { recording_price: recordingPrice = 0 } = input;
      const isRecorded = recordingPrice > 0;
      if (isRecorded && recordingPrice < MIN_TICKET_PRICE) {
        return context.refuse(recordingPriceTooLow, { values: { min: MIN_TICKET_PRICE } });
      }
      if (isRecorded && !input.recording_consent) return context.refuse(ticketConsentMissing);
      const version = TICKET_CONSENT_VERSION;
      if (isRecorded && !isCurrentConsent(input.recording_consent_version, version)) {
        return context.refuse(recordingConsentOutdated, { extra: { version } });
      }
      await lockPrivates(tx, performerId);
      await lockTicketShow(tx, performerId);
      if (!(await rooms.takeActivity(tx, performerId, 'ticket'))) return context.refuse(ticketBusy);
      const row = await insertTicketShow(tx, {
        performer_id: performerId,
        message,
        minutes,
        ticket_price: input.ticket_price,
        refund_minutes: refundMinutes,
        minimum_tickets: input.minimum_tickets,
        recording_price: recordingPrice,
        recording_consent_at: isRecorded ? tx.now : null,
        recording_consent_version: isRecorded ? TICKET_CONSENT_VERSION : null,
        chat_line: await offerInChat(deps, tx, performerId, input, message),
        starts_at: new Date(tx.now.getTime() + input.starts_in_minutes * MINUTE_MS),
      });
      await scheduleTicketDeadline(tx, row);
      await declineAll(deps, tx, performerId);
      await tx.send(topicChannel(roomTopic(performerId)), ticketShowChanged, publicView(row));
      await tx.publish(ticketOfferChanged, `performer:${performerId}`, { performerId });
      return ownView(tx, row);
    })
  );
}

function startHandler(deps: ShowsDependencies): CallHandler {
  const { data, rooms, onError } = deps;
  return handleCall(startTicketShow)(async (_input, context) => {
    const performerId = context.personId;
    const { scope, refuse } = context;
    const started = await data.tx(scope, async (tx) => {
      await lockTicketShow(tx, performerId);
      const row = await findOpenTicketShow(tx, performerId);
      if (!row) return refuse(ticketNotOffered);
      const { phase, starts_at: at, minimum_tickets: minimumTickets } = row;
      const bar = barOfStart({ phase, startsAt: at.getTime(), minimumTickets }, row.sold, tx.now.getTime());
      if (bar !== null) return refuse(BARS[bar], { values: { count: minimumTickets } });
      const status = (await rooms.statusOf(tx, [performerId])).get(performerId)?.status;
      if (status !== 'online') return refuse(ticketNotLive);
      const changed = await changeByEvent(deps, tx, row, { kind: 'started', sold: row.sold });
      return changed ? ownView(tx, changed) : refuse(ticketNotOffered);
    });
    // If moving the video fails there is none: the show ends by itself, and everything is given back.
    if (!(started instanceof Refused)) await movePicture(deps, scope, performerId).catch(onError);
    return started;
  });
}

export function performingHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data } = deps;
  return [
    offerHandler(deps),
    startHandler(deps),
    handleCall(cancelTicketShow)(async (_input, { scope, refuse, ...context }) => {
      const row = await applyToShow(deps, scope, context.personId, { kind: 'cancelled' });
      return row ? { status: 1 as const } : refuse(ticketNotOffered);
    }),
    handleCall(endTicketShow)(async (_input, { scope, refuse, ...context }) => {
      const row = await applyToShow(deps, scope, context.personId, { kind: 'ended' });
      if (!row) return refuse(ticketNotOffered);
      return data.tx(scope, async (tx) => ownView(tx, await findTicketShow(tx, row.id) ?? row));
    }),
    handleCall(getOwnTicketShows)(async ({ before }, context) =>
      data.tx(context.scope, async (tx) => {
        const open = await findOpenTicketShow(tx, context.personId);
        const found = await findPastTicketShows(tx, context.personId, before ?? null);
        const { page: past, next } = pageOf(found, TICKETS_PAGE);
        return {
          open: open && await ownView(tx, open),
          past: await ownViews(tx, past),
          next,
        };
      })
    ),
  ];
}
