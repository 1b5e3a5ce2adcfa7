import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { buyTicketRecording } from '#product/shows/contract/show-recording.ts';
import {
  buyTicket,
  endTicketShow,
  getTicketShow,
  offerTicketShow,
  startTicketShow,
} from '#product/shows/contract/ticket-show.ts';
import type { PerformerOptions } from '../people/options.ts';
import type { Member, TestSite } from '../site.ts';

/** A live performer who offers nothing yet. */
export async function ticketPerformer(site: TestSite, options: PerformerOptions = {}): Promise<Member> {
  const performer = await site.performer({ live: true, ...options });
  await site.settle();
  return performer;
}

/** A performer offers a show of 30 minutes for 100 tokens, in five minutes. */
export async function offersTickets(
  performer: Member,
  show: Partial<InputOf<typeof offerTicketShow>> = {},
): Promise<OutputOf<typeof offerTicketShow>> {
  const offered = await performer.call(offerTicketShow, {
    message: 'Fire and feathers',
    ticket_price: 100,
    starts_in_minutes: 5,
    minimum_tickets: 1,
    minutes: 30,
    refund_joined_minute_before_end: 0,
    ...show,
  });
  await performer.site.settle();
  return offered;
}

/** Each viewer buys a ticket at the price without a fan club. */
export async function sellsTickets(performer: Member, ...viewers: readonly Member[]): Promise<void> {
  const { username } = performer;
  for (const viewer of viewers) {
    const { show } = await viewer.call(getTicketShow, { username });
    await viewer.call(buyTicket, { username, price: show?.ticket_price ?? 0 });
  }
  await performer.site.settle();
}

/** A running ticket show of five minutes with these viewers in it, recorded for 50 tokens. */
export async function runsRecorded(
  site: TestSite,
  performer: Member,
  ...viewers: readonly Member[]
): Promise<{ readonly show: number; readonly stream: string }> {
  const { id: show } = await offersTickets(performer, {
    minutes: 5,
    recording_price: 50,
    recording_consent: true,
  });
  await sellsTickets(performer, ...viewers);
  await startsTicketShow(performer);
  const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
  return { show, stream: stream ?? '' };
}

/** Each viewer buys the recording at the price without a fan club. */
export async function sellsRecordings(performer: Member, ...viewers: readonly Member[]): Promise<void> {
  const { username } = performer;
  for (const viewer of viewers) await viewer.call(buyTicketRecording, { username, price: 50 });
  await performer.site.settle();
}

/** The running show is recorded for this many seconds, ends on time, and is settled. */
export async function endsRecorded(
  site: TestSite,
  performer: Member,
  stream: string,
  seconds = 300,
): Promise<void> {
  site.outputs.film(stream, seconds);
  await site.passes(5 * MINUTE_MS + 1_000);
  await performer.call(endTicketShow, {});
  await site.settle();
}

/** The performer starts the offered show. */
export async function startsTicketShow(performer: Member): Promise<OutputOf<typeof startTicketShow>> {
  const started = await performer.call(startTicketShow, {});
  await performer.site.settle();
  return started;
}

/** The stream that a performer sends now. */
export async function streamOf({ site, id }: Member): Promise<string> {
  return (await site.tx((tx) => site.services.broadcast.viewOf(tx, id))).stream ?? '';
}

/** The performer's video is lost and starts again. */
export async function picturesAgain(performer: Member): Promise<void> {
  const { site } = performer;
  site.engine.drop(await streamOf(performer), 'silent');
  await site.settle();
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
  await site.rtmp.publishes(key);
  site.engine.arrive();
  await site.settle();
}

/** The recording of the performer's running show ends by an error: the next one is another part. */
export async function breaksOff(performer: Member): Promise<void> {
  const { site } = performer;
  const stream = await streamOf(performer);
  const running = site.outputs.recordings.find((recording) => recording.stream === stream);
  site.outputs.endRecording(running?.id ?? '', 'fault');
  await site.settle();
}
