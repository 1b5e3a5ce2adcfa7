import type { Caller } from '#platform/contract/context.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import type { QualifiedKey, TextValues } from '#platform/text/message-keys.ts';
import type { Person } from '#product/accounts/server.ts';
import { soundPlayed } from '../../contract.ts';
import { excerptOf, roomTopic, type ChatRefusal, type RoomRights, type Sound } from '../../rules.ts';
import type { RunningShowChat, WantedChat } from '../../rules/show-chat.ts';
import { findMessage, type Message, type RepliedMessage } from '../../store.ts';
import { findShowMessage } from '../../store/show-messages.ts';
import type { OwnFields } from '../people/own-fields.ts';
import type { Appearance } from '../people/people.ts';
import { invisibleLevels } from '../people/tiers.ts';

/** A tip to show as a chat line. */
export interface ShownTip {
  /** Id of its fact: a tip is shown once per id. */
  readonly factId: string;
  readonly performerId: number;
  readonly senderId: number;
  readonly tokens: number;
  readonly comment: string;
  /** Tokens the sender tipped this performer in the last 24 h, this tip included. */
  readonly recentTips: number;
  /** Sent without name and badges of the sender. */
  readonly isAnonymous: boolean;
  /** The show in whose chat the tip is shown; null for the room. */
  readonly showChat: string | null;
}

/** A held message that a moderator approved. */
export interface HeldMessage {
  readonly performerId: number;
  readonly senderId: number;
  /** The text that the guard judged. */
  readonly body: string;
  readonly recentTips: number;
  readonly language: string | null;
}

/** The person who receives a history. */
export interface Viewer {
  /** Null for a guest. */
  readonly personId: number | null;
  readonly own: OwnFields;
}

/** A message or command before it is judged. */
export interface ChatInput {
  readonly performerId: number;
  readonly caller: Caller;
  readonly sender: Person;
  readonly rights: RoomRights;
  readonly body: string;
  readonly locale: string;
  readonly shown: Appearance;
  readonly reply: RepliedMessage | null;
  /** The chat of the show it is meant for; null for the room. */
  readonly show: RunningShowChat | null;
}
export const ANY: WantedChat = { kind: 'any' };
export const PUBLIC: WantedChat = { kind: 'public' };
/** Input from a client. */
export interface Said {
  readonly text: string;
  readonly replyTo: number | undefined;
  readonly wanted: WantedChat;
}
/** A message before it has a sequence number. */
export type NewMessage = Omit<Message, 'id' | 'senderId' | 'at' | 'isInvisible'>;
/** Why a message was refused: a text key, with its values; `isModeration` for a verdict of the guard. */
export interface Refusal {
  readonly key: QualifiedKey;
  readonly values?: TextValues;
  readonly isModeration?: boolean;
}
export const refused = (code: ChatRefusal): Refusal => ({ key: `rooms:errors.${code}` });

/** The message replied to, if it is in the same chat. */
export async function repliedIn(
  tx: Tx,
  performerId: number,
  show: RunningShowChat | null,
  replyTo: number | undefined,
): Promise<RepliedMessage | null> {
  if (replyTo === undefined) return null;
  const answered = show
    ? await findShowMessage(tx, performerId, show.key, replyTo)
    : await findMessage(tx, performerId, replyTo);
  if (!answered || answered.isAnonymous) return null;
  return { id: answered.id, senderId: answered.senderId, excerpt: excerptOf(answered.body) };
}

/** The text as a message of its sender. */
export async function messageOf(
  deps: Parameters<typeof invisibleLevels>[0],
  tx: Tx,
  id: number,
  sender: Person,
  said: NewMessage,
): Promise<Message> {
  const hidden = await invisibleLevels(deps, tx, [sender]);
  const isInvisible = !said.isAnonymous && hidden.has(sender.id);
  return { ...said, id, senderId: sender.id, at: tx.now, isInvisible };
}

/** Sounds are not logged: a client that joins later does not catch up on them. */
export async function playSound(
  tx: Tx,
  performerId: number,
  { username, displayName }: Person,
  sound: Sound,
): Promise<void> {
  const payload = { sound, username, display_name: displayName };
  await tx.send(topicChannel(roomTopic(performerId)), soundPlayed, payload);
}
