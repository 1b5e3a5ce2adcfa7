import type { Caller } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ChatMessageView, ChatUserView } from '../../contract.ts';
import { roomGuard } from '../../extension-points.ts';
import { ANONYMOUS, roomRightsOf, type RoomRights } from '../../rules.ts';
import { NO_STYLE, styleOf } from '../../rules/message-style.ts';
import type { Message, RepliedMessage } from '../../store.ts';
import { PRIVATE } from './own-fields.ts';

/** Rights of somebody in a room, including those of a moderator whom the performer named. */
export async function roomRightsIn(
  extensions: Extensions,
  tx: Tx,
  caller: Pick<Caller, 'personId' | 'roles'>,
  performerId: number,
): Promise<RoomRights> {
  const { personId } = caller;
  const isNamed = personId !== null && personId !== performerId
    && (await extensions.one(roomGuard).isModerator(tx, personId, performerId));
  return roomRightsOf(caller, performerId, isNamed);
}

/** What is shown of somebody in addition to the name. */
export interface Appearance {
  readonly isPerformer: boolean;
  readonly isModerator: boolean;
  readonly hasTokens: boolean;
  readonly isVip: boolean;
  readonly isSuperVip: boolean;
  readonly fanclubLevel: FanclubLevel | null;
  readonly recentTips: number;
}

type PersonFields = Omit<ChatUserView, 'invisible_mode_level' | 'avatar'>;

/** The staff flag on the wire; absent means no. */
export const staffFlag = (isStaff: boolean): { is_staff?: true } => (isStaff ? { is_staff: true } : {});

export function fieldsOf(
  { username, displayName, gender }: Pick<Person, 'username' | 'displayName' | 'gender'>,
  shown: Appearance,
): PersonFields {
  return {
    ...PRIVATE,
    username,
    display_name: displayName,
    gender,
    is_guest: false,
    is_model: shown.isPerformer,
    is_moderator: shown.isModerator,
    has_tokens: shown.hasTokens,
    is_vip: shown.isVip,
    is_super_vip: shown.isSuperVip,
    fanclub_level: shown.fanclubLevel,
    recentTips: shown.recentTips,
  };
}

/** Without badges. */
export const PLAIN: Appearance = {
  isPerformer: false,
  isModerator: false,
  hasTokens: false,
  isVip: false,
  isSuperVip: false,
  fanclubLevel: null,
  recentTips: 0,
};

/** Wire fields with the reason why a message returned to its sender; empty for a message that is shown. */
const SHOWN = { is_moderation_message: false, action: null, error: false, errorMessage: null } as const;

/**
 * The public view of a message in a performer's room, with its style.
 * @param people the sender and the author of the quoted message; `staff` are those of them who are staff
 * @returns null when the sender no longer has an account
 */
export function viewOf(
  performerId: number,
  message: Message,
  people: ReadonlyMap<number, Person>,
  staff: ReadonlySet<number>,
): ChatMessageView | null {
  const sender = message.isAnonymous ? { ...ANONYMOUS, gender: null } : people.get(message.senderId);
  if (!sender) return null;
  const isStreamer = message.senderId === performerId;
  return {
    ...SHOWN,
    ...fieldsOf(sender, message),
    id: message.id,
    message: message.body,
    type: message.kind,
    ...staffFlag(!message.isAnonymous && staff.has(message.senderId)),
    is_tip: message.kind === 'tip',
    value: message.tokens,
    recent_tips: message.recentTips,
    is_invisible_mode: message.isInvisible,
    ...replyFields(message.reply, people, staff),
    ...styleOf({ ...message, isStreamer }),
    user_language: message.language,
    at: message.at.toISOString(),
  };
}

function replyFields(
  reply: RepliedMessage | null,
  people: ReadonlyMap<number, Person>,
  staff: ReadonlySet<number>,
): Pick<ChatMessageView, 'reply' | 'subject_username'> {
  const answered = reply && people.get(reply.senderId);
  if (!answered) return { reply: null, subject_username: null };
  const { username, displayName } = answered;
  return {
    reply: {
      id: reply.id,
      display_name: displayName,
      excerpt: reply.excerpt,
      ...staffFlag(staff.has(reply.senderId)),
    },
    subject_username: username,
  };
}

/** Why a message returned to its sender. */
export interface Return {
  /** In the sender's language; null when the site failed and the message was not refused. */
  readonly errorMessage: string | null;
  /** The reason in one word; null without one. */
  readonly action: string | null;
  /** Room moderation decided it: the message is about its sender. */
  readonly isModeration: boolean;
}

/** A message that was not shown, as returned to its sender. Id 0: it is not logged. */
export function returnedMessage(
  caller: Caller,
  body: string,
  locale: string,
  at: Date,
  { errorMessage, action, isModeration }: Return,
): ChatMessageView {
  const username = caller.username ?? '';
  return {
    ...NO_STYLE,
    ...fieldsOf({ username, displayName: username, gender: null }, PLAIN),
    is_guest: caller.kind !== 'person',
    id: 0,
    message: body,
    type: 'message',
    is_tip: false,
    value: 0,
    recent_tips: 0,
    is_invisible_mode: false,
    reply: null,
    error: true,
    errorMessage,
    action,
    is_moderation_message: isModeration,
    subject_username: isModeration ? username : null,
    user_language: locale,
    at: at.toISOString(),
  };
}
