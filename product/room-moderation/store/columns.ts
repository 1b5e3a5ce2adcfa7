import type { Restriction } from '#product/rooms/rules.ts';
import type { ChatAllowed, ChatPreset, HeldFor, LinkRule, Mark, ModerationAction } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'room_moderation.actions.action': ModerationAction;
  'room_moderation.held.why': HeldFor;
  'room_moderation.marks.kind': Mark;
  'room_moderation.restrictions.kind': Restriction;
  'room_moderation.rules.preset': ChatPreset;
  'room_moderation.rules.chat_allowed': ChatAllowed;
  'room_moderation.rules.links': LinkRule;
}
