import type { InputOf, OutputOf } from '../../../platform/contract/call.ts';
import {
  offerTicketShow, buyTicket, getTicketShow, startTicketShow,
} from '../../shows/contract/ticket-show.ts';
import type { PerformerOptions } from '../people/options.ts';
import type { Member, TestSite } from '../site.ts';

/** A live performer; nothing is offered. */
export async function ticketPerformer(site: TestSite, options: PerformerOptions = {}): Promise<Member> {
  const performer = await site.performer({ live: true, ...options });
  await site.settle();
  return performer;
}

/** A performer offersTickets a show of 30 minutes for 100 tokens, in five minutes. */
export async function offersTickets(
  performer: Member, show: Partial<InputOf<typeof offerTicketShow>> = {},
): Promise<OutputOf<typeof offerTicketShow>> {
  const offered = await performer.call(offerTicketShow, {
    message: 'Fire and feathers', ticket_price: 100, starts_in_minutes: 5, minimum_tickets: 1, minutes: 30,
    refund_joined_minute_before_end: 0, ...show,
  });
  await performer.site.settle();
  return offered;
}

/** Each viewer buys a ticket for what it costs without a fan club. */
export async function sellsTickets(performer: Member, ...viewers: readonly Member[]): Promise<void> {
  const { username } = performer;
  for (const viewer of viewers) {
    const { show } = await viewer.call(getTicketShow, { username });
    await viewer.call(buyTicket, { username, price: show?.ticket_price ?? 0 });
  }
  await performer.site.settle();
}

/** The performer starts the offered show. */
export async function startsTicketShow(performer: Member): Promise<OutputOf<typeof startTicketShow>> {
  const started = await performer.call(startTicketShow, {});
  await performer.site.settle();
  return started;
}
