import type { EventContext } from '#platform/contract/bind.ts';
import { topicChannel, topicPersonChannel, type AnyEvent, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { chatMessage, chatSubject, chatUpdate } from '../../contract.ts';
import { modelSettings } from '../../contract/controls.ts';
import { messagesRemoved, moderated } from '../../contract/moderation.ts';
import { moderatorsTopic, roomTopic } from '../../rules.ts';
import { findLogged, insertLogged, nextSeq, type Logged } from '../../store.ts';
import type { OwnFields } from '../people/own-fields.ts';

/** Events in the log of a room. */
const LOGGED_EVENTS: readonly AnyEvent[] = [
  chatMessage,
  messagesRemoved,
  moderated,
  chatUpdate,
  chatSubject,
  modelSettings,
];

/** An entry for everybody, and one with the name for those who may know it. */
export interface LogEntry<E extends AnyEvent> {
  readonly payload: PayloadOf<E>;
  /** The same entry with the name, sent only to moderators and the subject. */
  readonly named?: PayloadOf<E>;
  readonly subjectId?: number | null;
}

/**
 * Writes the next entry of a room's log and sends it to the room.
 * @param entryOf the entry for its sequence number
 * @returns the sequence number
 */
export async function record<E extends AnyEvent>(
  tx: Tx,
  performerId: number,
  event: E,
  entryOf: (seq: number) => LogEntry<E> | Promise<LogEntry<E>>,
): Promise<number> {
  const seq = await nextSeq(tx, performerId);
  const { payload, named = null, subjectId = null } = await entryOf(seq);
  await insertLogged(tx, performerId, { seq, name: event.name, payload, named, subjectId });
  await tx.send(topicChannel(roomTopic(performerId)), event, payload, seq);
  if (named === null) return seq;
  await sendToModerators(tx, performerId, event, named);
  if (subjectId !== null) await tx.send(topicPersonChannel(roomTopic(performerId), subjectId), event, named);
  return seq;
}

/** Sends an event that is not logged to the moderators of a room. */
export async function sendToModerators<E extends AnyEvent>(
  tx: Tx,
  performerId: number,
  event: E,
  payload: PayloadOf<E>,
): Promise<void> {
  await tx.send(topicChannel(moderatorsTopic(performerId)), event, payload);
}

/** A viewer who reconnects to a room. */
export interface ReturningViewer {
  readonly performerId: number;
  readonly personId: number | null;
  readonly canModerate: boolean;
  /** The last sequence number this client received; null for a new client. */
  readonly lastSeq: number | null;
  /** The private fields of this viewer, for their own messages. */
  readonly own: OwnFields;
}

/** The entries a viewer missed, oldest first; null when they are no longer all in the log. */
export const findMissed = async (
  tx: Tx,
  { performerId, lastSeq }: Pick<ReturningViewer, 'performerId' | 'lastSeq'>,
): Promise<Logged[] | null> => (lastSeq === null ? null : findLogged(tx, performerId, lastSeq));

/** Sends missed entries under their sequence numbers, with the names this viewer may know. */
export function sendMissed(
  { reply }: EventContext,
  missed: readonly Logged[],
  { personId, canModerate, own }: ReturningViewer,
): void {
  for (const { seq, name, payload, named, subjectId } of missed) {
    const event = LOGGED_EVENTS.find((item) => item.name === name);
    if (!event) throw new Error(`the log of a room holds ${name}`);
    const isSubject = personId !== null && personId === subjectId;
    const known = named !== null && (canModerate || isSubject) ? named : payload;
    const shown = event === chatMessage && isSubject ? { ...(known as object), ...own } : known;
    // That stream may be over, or this viewer may no longer watch it; the current state is sent next.
    reply(event, event === chatUpdate ? { ...(shown as object), stream_name: null } : shown, seq);
  }
}
