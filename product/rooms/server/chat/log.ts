import type { EventContext } from '../../../../platform/contract/bind.ts';
import {
  seatChannel, topicChannel, type AnyEvent, type PayloadOf,
} from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import {
  chatMessage, chatSubject, chatUpdate, messagesRemoved, moderated, modelSettings,
} from '../../contract.ts';
import { moderatorsTopic, roomTopic } from '../../rules.ts';
import { findLogged, insertLogged, nextPlace, type Logged } from '../../store.ts';

/** Events that stand in the log of a room. */
const LASTING: readonly AnyEvent[] = [
  chatMessage, messagesRemoved, moderated, chatUpdate, chatSubject, modelSettings,
];

/** How an entry is told: to everybody, and with its name to those who may know it. */
export interface Telling<E extends AnyEvent> {
  readonly payload: PayloadOf<E>;
  /** To the desk and the subject's seat, beside the log: the same entry with the name in it. */
  readonly named?: PayloadOf<E>;
  readonly subjectId?: number | null;
}

/**
 * Writes the next entry of a room's log and tells it to the room under its number.
 * @param tellingOf by the number it takes
 * @returns the number
 */
export async function record<E extends AnyEvent>(
  tx: Tx, performerId: number, event: E, tellingOf: (seq: number) => Telling<E> | Promise<Telling<E>>,
): Promise<number> {
  const seq = await nextPlace(tx, performerId);
  const { payload, named = null, subjectId = null } = await tellingOf(seq);
  await insertLogged(tx, performerId, { seq, name: event.name, payload, named, subjectId });
  await tx.send(topicChannel(roomTopic(performerId)), event, payload, seq);
  if (named === null) return seq;
  await tellDesk(tx, performerId, event, named);
  if (subjectId !== null) await tx.send(seatChannel(roomTopic(performerId), subjectId), event, named);
  return seq;
}

/** Tells those with the moderator's view something that passes. */
export async function tellDesk<E extends AnyEvent>(
  tx: Tx, performerId: number, event: E, payload: PayloadOf<E>,
): Promise<void> {
  await tx.send(topicChannel(moderatorsTopic(performerId)), event, payload);
}

/** Who comes back to a room. */
export interface Returning {
  readonly performerId: number;
  readonly personId: number | null;
  readonly canModerate: boolean;
  /** The last place this client heard. */
  readonly lastSeq: number | null;
}

/** What somebody missed, oldest first; null when it cannot be told one by one. */
export const missedBy = async (tx: Tx, { performerId, lastSeq }: Returning): Promise<Logged[] | null> =>
  (lastSeq === null ? null : findLogged(tx, performerId, lastSeq));

/** Tells what was missed under the numbers it had, with the names this viewer may know. */
export function tellMissed(
  { reply }: EventContext, missed: readonly Logged[], { personId, canModerate }: Returning,
): void {
  for (const { seq, name, payload, named, subjectId } of missed) {
    const event = LASTING.find((one) => one.name === name);
    if (!event) throw new Error(`the log of a room holds ${name}`);
    const knows = canModerate || (personId !== null && personId === subjectId);
    const told = named !== null && knows ? named : payload;
    // A stream of then may be over, or no longer for this viewer: how it stands is told after this.
    reply(event, event === chatUpdate ? { ...(told as object), stream_name: null } : told, seq);
  }
}
