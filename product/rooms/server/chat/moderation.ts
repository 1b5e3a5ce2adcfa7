import { seatChannel, type PayloadOf } from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { Person } from '../../../accounts/server.ts';
import {
  chatBanned, chatKicked, chatMessage, messagesRemoved, moderated, personModerated, reseated,
} from '../../contract.ts';
import { roomTopic, type Restriction } from '../../rules.ts';
import { deleteMessages, forgetReplies, removeLogged, type Which } from '../../store.ts';
import { record } from './log.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/** What a moderator does to somebody of a room, as the slice that keeps order commands it. */
export interface ModerationOrder {
  readonly performerId: number;
  readonly type: Restriction;
  readonly action: 'add' | 'remove';
  /** A person, or else the session of a guest. */
  readonly subjectId: number | null;
  readonly sessionId: string | null;
  /** Shown to the subject. */
  readonly reason: string | null;
  /** Null for good; a kick always ends. */
  readonly until: Date | null;
  /** Who ordered it; null for what ended by itself. */
  readonly byId: number | null;
}

/** Commands upon rooms for the slice that keeps order in them. */
export interface RoomOrders {
  /**
   * Writes the log, tells the three audiences (the room without the name, desk and subject with it), takes
   * messages away on ban and silence, puts out on ban and kick, reseats who became or ceased to be a
   * moderator. What the guard answers must be true when this unit commits. The number in the log.
   */
  readonly moderate: (tx: Tx, order: ModerationOrder) => Promise<number>;
  /** Takes messages away from everybody; which of them there were. */
  readonly removeMessages: (
    tx: Tx, performerId: number, ids: readonly number[],
  ) => Promise<readonly number[]>;
}

/** What is taken away is told nobody again: neither by the log nor in answers to it. */
async function takeAway(
  tx: Tx, performerId: number, which: Which,
): Promise<number[]> {
  const removed = await deleteMessages(tx, performerId, which);
  const names = { message: chatMessage.name, removed: messagesRemoved.name };
  const logged = await removeLogged(tx, performerId, which, names);
  await forgetReplies(tx, performerId, [...new Set([...removed, ...logged])]);
  return removed;
}

/** Ban and silence take the messages of the person away (spec 2 §4.7); a kick keeps them. */
const takesMessages = ({ type, action }: ModerationOrder): boolean =>
  action === 'add' && (type === 'banned' || type === 'silenced');

export function roomOrders({ accounts }: RoomsDependencies): RoomOrders {
  const nameOf = async (tx: Tx, { subjectId }: ModerationOrder): Promise<Person | null> =>
    (subjectId === null ? null : accounts.findById(tx, subjectId));
  const moderate = async (tx: Tx, order: ModerationOrder): Promise<number> => {
    const { performerId, type, action } = order;
    const person = await nameOf(tx, order);
    const personId = person?.id ?? null;
    const seq = await record(tx, performerId, moderated, async (id) => {
      // Under the room's turn: what is said after this is judged by how things stand then.
      const removed = person && takesMessages(order)
        ? await takeAway(tx, performerId, { senderId: person.id }) : [];
      const named: PayloadOf<typeof moderated> = {
        id, type, action, username: person?.username ?? null, display_name: person?.displayName ?? null,
        removed,
      };
      // A moderator's badge shows anyway.
      const payload = type === 'moderator' ? named : { ...named, username: null, display_name: null };
      return { payload, named, subjectId: personId };
    });
    await putOut(tx, order);
    const { byId } = order;
    await tx.publish(personModerated, `room:${performerId}`, { performerId, type, action, personId, byId });
    return seq;
  };
  /** What the subject's own sockets hear last. */
  const putOut = async (tx: Tx, order: ModerationOrder): Promise<void> => {
    const { performerId, type, action, reason } = order;
    const who = order.subjectId ?? order.sessionId;
    if (who === null) throw new Error('a moderation has no subject');
    const seat = seatChannel(roomTopic(performerId), who);
    const until = order.until?.toISOString() ?? null;
    if (type === 'moderator') return tx.send(seat, reseated, {});
    if (action === 'remove' || type === 'silenced') return undefined;
    const owner = await accounts.findById(tx, performerId);
    const room = owner?.username ?? '';
    if (type === 'banned') return tx.send(seat, chatBanned, { room, reason, until });
    if (until === null) throw new Error('a kick ends');
    return tx.send(seat, chatKicked, { room, reason, until });
  };
  return {
    moderate,
    removeMessages: async (tx, performerId, ids) => {
      let removed: readonly number[] = [];
      await record(tx, performerId, messagesRemoved, async () => {
        removed = await takeAway(tx, performerId, { ids });
        return { payload: { ids: [...removed] } };
      });
      return removed;
    },
  };
}
