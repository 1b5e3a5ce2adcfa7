import { topicPersonChannel, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { chatMessage, reconnectRequired } from '../../contract.ts';
import {
  chatBanned,
  chatKicked,
  messagesRemoved,
  moderated,
  personModerated,
} from '../../contract/moderation.ts';
import { readShowChats } from '../../extension-points.ts';
import { roomTopic, type Restriction } from '../../rules.ts';
import { hasRead } from '../../rules/show-chat.ts';
import { deleteMessages, findMessage, forgetReplies, removeLogged, type Which } from '../../store.ts';
import { findShowMessage } from '../../store/show-messages.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { record } from './log.ts';
import { removeFromShow } from './show-chat.ts';

/** A moderation of somebody in a room, as room moderation decided it. */
export interface RoomModeration {
  readonly performerId: number;
  readonly type: Restriction;
  readonly action: 'add' | 'remove';
  /** The person, or else the session of a guest. */
  readonly subjectId: number | null;
  readonly sessionId: string | null;
  /** Shown to the subject. */
  readonly reason: string | null;
  /** Null for a permanent one; a kick always ends. */
  readonly until: Date | null;
  /** The moderator; null for an expiry or an automatic silence. */
  readonly byId: number | null;
}

/** What rooms offers to room-moderation. */
export interface ModerationService {
  /**
   * Writes the log and notifies the room: without the name, but moderators and the subject with it. Ban and
   * silence remove messages, ban and kick remove the subject, new and former moderators reconnect. The guard
   * must agree when this unit of work commits. Returns the sequence number.
   */
  readonly moderate: (tx: Tx, order: RoomModeration) => Promise<number>;
  /** Removes messages for everybody; returns the ids that existed. */
  readonly removeMessages: (
    tx: Tx,
    performerId: number,
    ids: readonly number[],
  ) => Promise<readonly number[]>;
  /**
   * A message of the room's chat, or of a show's chat by its key, for somebody who may read it now. Null if
   * they read no such message. Messages of a show are available for a day, to people who read them.
   */
  readonly messageFor: (
    tx: Tx,
    performerId: number,
    personId: number | null,
    which: { readonly id: number; readonly showChat: string | null },
  ) => Promise<{ readonly senderId: number; readonly text: string } | null>;
}

/** Removes messages from the history, the log and the quotes in replies. */
async function removeAll(
  tx: Tx,
  performerId: number,
  which: Which,
): Promise<number[]> {
  const removed = await deleteMessages(tx, performerId, which);
  const names = { message: chatMessage.name, removed: messagesRemoved.name };
  const logged = await removeLogged(tx, performerId, which, names);
  await forgetReplies(tx, performerId, [...new Set([...removed, ...logged])]);
  return removed;
}

/** Ban and silence remove the messages of the person (spec 2 §4.7); a kick does not. */
const removesMessages = ({ type, action }: RoomModeration): boolean =>
  action === 'add' && (type === 'banned' || type === 'silenced');

export function moderationService({ accounts, extensions }: RoomsDependencies): ModerationService {
  const nameOf = async (
    tx: Tx,
    { subjectId }: RoomModeration,
  ): Promise<Person | null> => (subjectId === null ? null : accounts.findById(tx, subjectId));
  const moderate = async (tx: Tx, order: RoomModeration): Promise<number> => {
    const { performerId, type, action } = order;
    const person = await nameOf(tx, order);
    const personId = person?.id ?? null;
    const seq = await record(tx, performerId, moderated, async (id) => {
      // Under the room's lock: later messages are judged after this moderation.
      const removed = person && removesMessages(order)
        ? await removeAll(tx, performerId, { senderId: person.id })
        : [];
      const named: PayloadOf<typeof moderated> = {
        id,
        type,
        action,
        username: person?.username ?? null,
        display_name: person?.displayName ?? null,
        removed,
      };
      const payload = { ...named, username: null, display_name: null };
      return { payload, named, subjectId: personId };
    });
    if (personId !== null && removesMessages(order)) {
      await removeFromShow(extensions, tx, performerId, personId);
    }
    await notifySubject(tx, order);
    const { byId } = order;
    await tx.publish(personModerated, `room:${performerId}`, { performerId, type, action, personId, byId });
    return seq;
  };
  /** Notifies the subject's own sockets, last. */
  const notifySubject = async (tx: Tx, order: RoomModeration): Promise<void> => {
    const { performerId, type, action, reason } = order;
    const who = order.subjectId ?? order.sessionId;
    if (who === null) throw new Error('a moderation has no subject');
    const channel = topicPersonChannel(roomTopic(performerId), who);
    const until = order.until?.toISOString() ?? null;
    if (type === 'moderator') return tx.send(channel, reconnectRequired, {});
    if (action === 'remove' || type === 'silenced') return undefined;
    const owner = await accounts.findById(tx, performerId);
    const room = owner?.username ?? '';
    if (type === 'banned') return tx.send(channel, chatBanned, { room, reason, until });
    if (until === null) throw new Error('a kick ends');
    return tx.send(channel, chatKicked, { room, reason, until });
  };
  const messageFor: ModerationService['messageFor'] = async (tx, performerId, personId, { id, showChat }) => {
    const message = showChat === null
      ? await findMessage(tx, performerId, id)
      : await findShowMessage(tx, performerId, showChat, id);
    if (!message) return null;
    const said = { senderId: message.senderId, text: message.body };
    if (showChat === null) return said;
    if (personId === null) return null;
    return hasRead(await extensions.one(readShowChats)(tx, performerId, showChat, personId), message.at)
      ? said
      : null;
  };
  return {
    moderate,
    messageFor,
    removeMessages: async (tx, performerId, ids) => {
      let removed: readonly number[] = [];
      await record(tx, performerId, messagesRemoved, async () => {
        removed = await removeAll(tx, performerId, { ids });
        return { payload: { ids: [...removed] } };
      });
      return removed;
    },
  };
}
