import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import type { ReadSpan, RunningShowChat } from '#product/rooms/rules/show-chat.ts';
import { getSaid, saidUnknown } from '../contract/said.ts';
import { findRunning, readPrivate, type PrivateRow } from '../store/privates.ts';
import { findReadingSpies, findReadsOf } from '../store/spies.ts';
import { findOpenTicketShow, findTicket, findTicketShow } from '../store/tickets.ts';
import type { ShowsDependencies } from './dependencies.ts';
import { spyOfferOf } from './spying/offer.ts';
import { holdersIn } from './tickets/installed.ts';

/** The chat of a private show: both people write, and spies read. Nobody spies on an exclusive show. */
async function chatOfPrivate(
  deps: ShowsDependencies,
  tx: Tx,
  { id, performer_id: performer, viewer_id: viewer, exclusive }: PrivateRow,
): Promise<RunningShowChat> {
  const spies = exclusive ? [] : await findReadingSpies(tx, id);
  // Spies who already read the chat stay when the offer ends.
  const isOpenToSpies = !exclusive && (spies.length > 0 || (await spyOfferOf(deps, tx, performer)).isEnabled);
  return {
    key: `private:${id}`,
    kind: exclusive ? 'exclusive' : 'private',
    writerIds: [performer, viewer],
    spies,
    isOpenToSpies,
  };
}

/**
 * Sends both people in a running private show whether anybody else can read its chat now.
 * @param spyId a spy who has just gained or lost the chat, and is sent it too
 */
export async function sendWhoReads(
  deps: ShowsDependencies,
  tx: Tx,
  performerId: number,
  spyId: number | null = null,
): Promise<void> {
  const row = await findRunning(tx, 'performer_id', performerId);
  const both = row ? [performerId, row.viewer_id] : [];
  await deps.rooms.sendShowChat(tx, performerId, spyId === null ? both : [...both, spyId]);
}

/**
 * The show of a performer that has its own chat: from the acceptance of a private show, or the start of a
 * ticket show, until it ends. Tickets that were given back do not count.
 */
export const chatOfShow = (deps: ShowsDependencies) =>
async (
  tx: Tx,
  performerId: number,
): Promise<RunningShowChat | null> => {
  const row = await findRunning(tx, 'performer_id', performerId);
  if (row) return chatOfPrivate(deps, tx, row);
  const show = await findOpenTicketShow(tx, performerId);
  if (show?.phase !== 'running') return null;
  return {
    key: `ticket:${show.id}`,
    kind: 'ticket',
    writerIds: [performerId, ...await holdersIn(tx, performerId)],
    spies: [],
    isOpenToSpies: false,
  };
};

/** The whole show. */
const WHOLE: readonly ReadSpan[] = [{ since: null, until: null }];
const KEY = /^(private|ticket):([1-9]\d{0,14})$/u;

/** Somebody who left when the show ended read its chat to the end: no message follows. */
const untilOf = (
  left: Date | null,
  over: Date | null,
): Date | null => (left !== null && over !== null && left >= over ? null : left);

const showOf = (
  tx: Tx,
  kind: string,
  id: number,
) => (kind === 'ticket' ? findTicketShow(tx, id) : readPrivate(tx, id));

/** When somebody could read the chat of a show: they can report those messages while they are stored. */
export async function readsOfShow(
  tx: Tx,
  performerId: number,
  key: string,
  personId: number,
): Promise<readonly ReadSpan[]> {
  const [, kind, id = ''] = KEY.exec(key) ?? [];
  if (kind === undefined) return [];
  const show = await showOf(tx, kind, Number(id));
  if (show?.performer_id !== performerId) return [];
  if (personId === performerId) return WHOLE;
  if ('viewer_id' in show) {
    if (personId === show.viewer_id) return WHOLE;
    if (show.exclusive) return [];
    const reads = await findReadsOf(tx, show.id, personId);
    return reads.map(({ since, until }) => ({ since, until: untilOf(until, show.ended_at) }));
  }
  const ticket = await findTicket(tx, show.id, personId);
  return ticket ? [{ since: null, until: untilOf(ticket.settled_at, show.ended_at) }] : [];
}

/** The messages of a show, for the people who could read them there. */
export const saidHandler = ({ data, accounts, rooms }: ShowsDependencies): CallHandler =>
  handleCall(getSaid)(async ({ kind, show: id }, context) =>
    data.tx(context.scope, async (tx) => {
      const { personId } = context;
      const show = await showOf(tx, kind, id);
      const performer = show && await accounts.findById(tx, show.performer_id);
      if (!performer) return context.refuse(saidUnknown);
      const key = `${kind}:${id}`;
      const messages = await rooms.showChatRead(tx, performer.id, { key, personId });
      if (messages === null) return context.refuse(saidUnknown);
      return {
        key,
        broadcaster: performer.username,
        display_name: performer.displayName,
        messages: [...messages],
      };
    })
  );
