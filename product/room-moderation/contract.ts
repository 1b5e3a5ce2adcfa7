import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { CHAT_ALLOWED } from '#product/accounts/rules/settings.ts';
import { roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import {
  CHAT_PRESETS,
  HELD_DECISIONS,
  HELD_FOR,
  LINK_RULES,
  MAX_BLOCKED_WORD_LENGTH,
  MAX_BLOCKED_WORDS,
  MAX_HELD,
  MAX_JOIN_COOL_DOWN_SECONDS,
  MAX_REASON_LENGTH,
  MAX_REMOVED,
  MAX_SITE_WORDS,
  MAX_SLOW_MODE_SECONDS,
  MAX_TIMED_MINUTES,
  MODERATION_ACTIONS,
  MODERATION_LISTS,
  SPEECH_REFUSALS,
} from './rules.ts';

const slice = 'room-moderation';
export const moderationForbidden = refusal({
  slice,
  code: 'moderation_forbidden',
  kind: 'denied',
  description: 'Only the performer, admins, site moderators and the moderators of this room may do this; '
    + 'only the performer and admins name moderators.',
});
export const ownModeration = refusal({
  slice,
  code: 'own_moderation',
  kind: 'denied',
  description: 'Nobody moderates themselves.',
});
export const subjectProtected = refusal({
  slice,
  code: 'subject_protected',
  kind: 'denied',
  description: 'The performer, admins and site moderators cannot be moderated, nor a moderator by another.',
});
export const subjectUnknown = refusal({
  slice,
  code: 'subject_unknown',
  kind: 'absent',
  description: 'Nobody has this username, or the guest was not in the room in the last day.',
});
export const guestModerator = refusal({
  slice,
  code: 'guest_moderator',
  kind: 'invalid',
  description: 'A guest cannot be a moderator.',
});
export const nothingToUndo = refusal({
  slice,
  code: 'nothing_to_undo',
  kind: 'conflict',
  description: 'The person is not banned, silenced or a moderator: there is nothing to undo.',
});
export const subjectRestricted = refusal({
  slice,
  code: 'subject_restricted',
  kind: 'conflict',
  description: 'A banned or silenced person becomes a moderator only after that is undone.',
});
export const tooManyModerated = refusal({
  slice,
  code: 'too_many_moderated',
  kind: 'conflict',
  description: 'The room has reached its limit of moderators, bans or silences.',
});
export const heldUnknown = refusal({
  slice,
  code: 'held_unknown',
  kind: 'absent',
  description: 'The message is no longer held: somebody decided about it, or it expired.',
});
export const wordInvalid = refusal({
  slice,
  code: 'word_invalid',
  kind: 'invalid',
  description: 'A blocked word needs two letters or digits beside its wildcards.',
});

const username = z.string().max(64);
const done = z.object({ status: z.literal(1) });

export const moderate = call({
  name: 'room-moderation.moderate',
  method: 'POST',
  path: '/chat/moderate/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username,
    /** A username, or the `guest_…` name of a guest. */
    subject: z.string().min(1).max(64),
    action: z.enum(MODERATION_ACTIONS),
    /** If absent, bans and silences are permanent, and a kick takes ten minutes. */
    minutes: z.int().min(1).max(MAX_TIMED_MINUTES).nullable().optional(),
    /** Shown to the subject and in the moderation panel; stored in the audit log. */
    reason: z.string().trim().max(MAX_REASON_LENGTH).optional(),
  }),
  output: z.object({ status: z.literal(1), until: z.string().nullable() }),
  refusals: [
    roomUnknown,
    moderationForbidden,
    ownModeration,
    subjectProtected,
    subjectUnknown,
    guestModerator,
    nothingToUndo,
    subjectRestricted,
    tooManyModerated,
  ],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Ban, kick, silence or name a moderator',
  description: 'Everything a moderator does to somebody, and undoing it. Bans and silences are timed '
    + '(`minutes`) or permanent, a kick takes ten minutes, a moderator is named for 14 days, renewable. '
    + '`until` says when it ends; it is null for permanent actions and for undoing.',
  requirements: ['B-305', 'A-454'],
});

export const removeMessages = call({
  name: 'room-moderation.removeMessages',
  method: 'POST',
  path: '/chat/remove/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username,
    ids: z.array(z.int().positive()).min(1).max(MAX_REMOVED),
  }),
  output: done,
  refusals: [roomUnknown, moderationForbidden],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Remove messages',
  description: 'For those who moderate the room. Messages that are gone already are ignored. The room '
    + 'receives `v3.chat.removed`; the audit log says who did it.',
});

export const ModerationEntry = z.object({
  /** Cursor of the next page. */
  id: z.int(),
  at: z.string(),
  action: z.enum(MODERATION_ACTIONS),
  username: z.string(),
  display_name: z.string(),
  is_guest: z.boolean(),
  /** A member of the site's staff. Absent means no. */
  is_staff: z.boolean().optional(),
  /** Username of the moderator; null for the room's own rules (a silence for spam, an expiry). */
  by: z.string().nullable(),
  reason: z.string(),
  /** Null for permanent actions and those without a duration. */
  until: z.string().nullable(),
});
export const getModeration = call({
  name: 'room-moderation.getModeration',
  method: 'GET',
  path: '/chat/moderation/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username, list: z.enum(MODERATION_LISTS), before: z.int().positive().optional() }),
  output: z.object({
    list: z.enum(MODERATION_LISTS),
    entries: z.array(ModerationEntry),
    next: z.int().nullable(),
  }),
  refusals: [roomUnknown, moderationForbidden],
  summary: 'The moderation panel of a room',
  description: 'The active bans, silences or moderators, or the recent actions; newest first, 50 a page; '
    + '`next` is `before` of the next page.',
  requirements: ['B-287'],
});

/** Chat rules that everybody sees. */
export const PublicChatRules = z.object({
  chat_allowed: z.enum(CHAT_ALLOWED),
  slow_mode_seconds: z.int(),
});
/** Chat rules as moderators see them. */
export const FullChatRules = z.object({
  preset: z.enum(CHAT_PRESETS),
  chat_allowed: z.enum(CHAT_ALLOWED),
  slow_mode_seconds: z.int(),
  join_cool_down_seconds: z.int(),
  links: z.enum(LINK_RULES),
  first_message_hold: z.boolean(),
  blocked_words: z.array(z.string()),
});
const ChatRulesAnswer = PublicChatRules.extend({
  speaking: z.object({
    allowed: z.boolean(),
    /** `log_in`, or why a message would be refused now; text under `room-moderation:errors.*`. */
    why: z.enum(['log_in', ...SPEECH_REFUSALS]).nullable(),
    /** When that ends by itself; null when it does not, or is unknown. */
    until: z.string().nullable(),
    /** The moderator's reason, for the silenced person alone; null without one and for automatic silences. */
    reason: z.string().nullable(),
  }),
  /** What this viewer may do here, for menus. */
  may: z.object({ moderate: z.boolean(), name_moderators: z.boolean(), change_rules: z.boolean() }),
  /** Null for viewers who don't moderate here; `blocked_words` is empty for room moderators. */
  rules: FullChatRules.nullable(),
});
export const getChatRules = call({
  name: 'room-moderation.getChatRules',
  method: 'GET',
  path: '/chat/rules/:username',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username }),
  output: ChatRulesAnswer,
  refusals: [roomUnknown],
  limit: { points: 240, seconds: 60, per: 'caller' },
  summary: 'The chat rules of a room',
  description: 'Everybody gets who may write, the slow mode, and whether this viewer may write now; those '
    + 'who moderate the room get all rules. Sets the device cookie, by which a ban identifies a browser, '
    + 'where it is missing.',
});
export const setChatRules = call({
  name: 'room-moderation.setChatRules',
  method: 'POST',
  path: '/chat/rules/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username,
    /** Resets every rule except the blocked words; other fields of the same call are applied after it. */
    preset: z.enum(CHAT_PRESETS).optional(),
    chat_allowed: z.enum(CHAT_ALLOWED).optional(),
    slow_mode_seconds: z.int().min(0).max(MAX_SLOW_MODE_SECONDS).optional(),
    join_cool_down_seconds: z.int().min(0).max(MAX_JOIN_COOL_DOWN_SECONDS).optional(),
    links: z.enum(LINK_RULES).optional(),
    first_message_hold: z.boolean().optional(),
    blocked_words: z.array(z.string().trim().min(1).max(MAX_BLOCKED_WORD_LENGTH)).max(MAX_BLOCKED_WORDS)
      .optional(),
  }),
  output: FullChatRules,
  refusals: [roomUnknown, moderationForbidden, wordInvalid],
  summary: 'Change the chat rules of a room',
  description: 'The performer, admins and site moderators change everything, the moderators of the room its '
    + 'slow mode and links. Omitted rules stay. The room receives `v3.chat.rules`.',
});

export const HeldMessage = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  message: z.string(),
  why: z.enum(HELD_FOR),
  at: z.string(),
  /** A member of the site's staff. Absent means no. */
  is_staff: z.boolean().optional(),
});
export const getHeld = call({
  name: 'room-moderation.getHeld',
  method: 'GET',
  path: '/chat/held/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username }),
  output: z.object({ held: z.array(HeldMessage).max(MAX_HELD) }),
  refusals: [roomUnknown, moderationForbidden],
  summary: 'The moderation queue of a room',
  description: 'Held messages, oldest first; they expire after an hour. Moderators receive each as '
    + '`v3.chat.waiting`.',
});
export const decideHeld = call({
  name: 'room-moderation.decideHeld',
  method: 'POST',
  path: '/chat/held/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username, id: z.int().positive(), decision: z.enum(HELD_DECISIONS) }),
  output: done,
  refusals: [roomUnknown, moderationForbidden, heldUnknown, subjectProtected, ownModeration],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'Decide about a held message',
  description: '`show` puts it into the chat, `drop` rejects it, `silence` rejects it and silences its '
    + 'sender for an hour.',
});

export const SiteChatRules = z.object({ blocked_words: z.array(z.string()) });
export const getSiteChatRules = call({
  name: 'room-moderation.getSiteChatRules',
  method: 'GET',
  path: '/admin/chat_rules',
  access: 'moderator',
  credential: 'cookie',
  input: z.object({}),
  output: SiteChatRules,
  refusals: [],
  summary: 'Words blocked in every room',
  description: 'In the order they were saved.',
});
export const setSiteChatRules = call({
  name: 'room-moderation.setSiteChatRules',
  method: 'POST',
  path: '/admin/chat_rules',
  access: 'moderator',
  credential: 'cookie',
  bodyLimitBytes: 128 * 1024,
  input: z.object({
    blocked_words: z.array(z.string().trim().min(1).max(MAX_BLOCKED_WORD_LENGTH)).max(MAX_SITE_WORDS),
  }),
  output: SiteChatRules,
  refusals: [wordInvalid],
  summary: 'Set the words blocked in every room',
  description: 'Replaces the list. Words are found in every spelling; `*` matches any letters.',
});

export const autosilenced = event({
  name: 'v3.autosilenced',
  socket: 'both',
  from: 'server',
  shape: z.object({ room: z.string(), reason: z.string(), until: z.string() }),
  description: 'The rules of a room silenced this person for a time; `reason` is a text in their language. '
    + 'Sent to all their tabs.',
  requirements: ['A-373'],
});
export const chatRulesChanged = event({
  name: 'v3.chat.rules',
  socket: 'room',
  from: 'server',
  shape: PublicChatRules,
  description: 'Who may write in the room, or how often, has changed. `GET chat/rules/{username}` says '
    + 'whether the viewer may write now.',
});
export const messageHeld = event({
  name: 'v3.chat.waiting',
  socket: 'room',
  from: 'server',
  shape: HeldMessage,
  description: 'A message is held for a moderator. Sent to the moderators of the room, for their queue.',
});
export const heldDecided = event({
  name: 'v3.chat.held_decided',
  socket: 'room',
  from: 'server',
  shape: z.object({ id: z.int(), decision: z.enum(HELD_DECISIONS) }),
  description: 'A moderator decided about a held message. Sent to the moderators of the room.',
});
