import type { Tx } from '#platform/data/data.ts';
import type { RunningShowChat } from '#product/rooms/rules/show-chat.ts';
import { findRunning, type PrivateRow } from '../store/privates.ts';
import { findReadingSpies } from '../store/spies.ts';
import { findOpenTicketShow } from '../store/tickets.ts';
import type { ShowsDependencies } from './dependencies.ts';
import { spyOfferOf } from './spying/offer.ts';
import { holdersIn } from './tickets/installed.ts';

/** The chat of a private show: the two write, and who spies reads; of an exclusive one nobody does. */
async function chatOfPrivate(
  deps: ShowsDependencies, tx: Tx, { id, performer_id: performer, viewer_id: viewer, exclusive }: PrivateRow,
): Promise<RunningShowChat> {
  const spies = exclusive ? [] : await findReadingSpies(tx, id);
  // Spies who read already stay when the offer ends.
  const isOverheard = !exclusive && (spies.length > 0 || (await spyOfferOf(deps, tx, performer)).isEnabled);
  return {
    key: `private:${id}`, kind: exclusive ? 'exclusive' : 'private', writerIds: [performer, viewer], spies,
    isOverheard,
  };
}

/**
 * Sends both of a running private show whether somebody else can read its chat now.
 * @param spyId of who has begun or ended to read it, who gets it or loses it
 */
export async function sendWhoReads(
  deps: ShowsDependencies, tx: Tx, performerId: number, spyId: number | null = null,
): Promise<void> {
  const row = await findRunning(tx, 'performer_id', performerId);
  const both = row ? [performerId, row.viewer_id] : [];
  await deps.rooms.sendShowChat(tx, performerId, spyId === null ? both : [...both, spyId]);
}

/**
 * The show of a performer that has a chat of its own: from the acceptance of a private show, or the start of
 * a ticket show, to its end. A ticket that was given back is none.
 */
export const chatOfShow = (deps: ShowsDependencies) => async (
  tx: Tx, performerId: number,
): Promise<RunningShowChat | null> => {
  const row = await findRunning(tx, 'performer_id', performerId);
  if (row) return chatOfPrivate(deps, tx, row);
  const show = await findOpenTicketShow(tx, performerId);
  if (show?.phase !== 'running') return null;
  return {
    key: `ticket:${show.id}`, kind: 'ticket', writerIds: [performerId, ...await holdersIn(tx, performerId)],
    spies: [], isOverheard: false,
  };
};
