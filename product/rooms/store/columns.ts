import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { Activity, BroadcastCategory, ChatStatus, RoomMode } from '../rules.ts';

export type MessageKind = 'message' | 'tip' | 'notice';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'rooms.messages.kind': MessageKind;
  'rooms.messages.fanclub_level': FanclubLevel;
  'rooms.rooms.status': ChatStatus;
  'rooms.show_messages.kind': MessageKind;
  'rooms.show_messages.fanclub_level': FanclubLevel;
  'rooms.rooms.mode': RoomMode;
  'rooms.rooms.activity': Activity;
  'rooms.settings.broadcast_category': BroadcastCategory;
}
