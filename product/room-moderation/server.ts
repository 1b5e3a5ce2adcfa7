import type { Slice } from '../../platform/contract/bind.ts';
import { roomGuard } from '../rooms/server/chat/guard.ts';
import { ChatRulesDesk } from './server/chat-rules.ts';
import { Desk } from './server/desk.ts';
import { Guarding } from './server/chat-guard/guarding.ts';
import { Marking } from './server/chat-guard/marks.ts';
import { Moderating } from './server/moderating.ts';
import type { ModerationNeeds } from './server/needs.ts';

export { tipping } from './server/needs.ts';

/** Nothing is asked of it by name: it keeps order through the slot `rooms.guard`. */
export type RoomModerationSlice = Slice<null>;

/** Order in rooms: bans, kicks, silences, room moderators, and what may be said. */
export function roomModerationSlice(needs: ModerationNeeds): RoomModerationSlice {
  const marking = new Marking(needs.secret);
  const moderating = new Moderating(needs);
  const guarding = new Guarding(needs, marking, moderating);
  needs.slots.fill(roomGuard, guarding);
  return {
    name: 'room-moderation',
    service: null,
    answers: [
      ...moderating.answers(),
      ...new Desk(needs, moderating).answers(),
      ...new ChatRulesDesk(needs, guarding, marking).answers(),
    ],
    due: moderating.due(),
  };
}
