import type { Slice } from '../../platform/contract/bind.ts';
import { roomGuard } from '../rooms/server/chat/guard.ts';
import { ChatRulesDesk } from './server/chat-rules.ts';
import { Desk } from './server/desk.ts';
import { Guarding } from './server/chat-guard/guarding.ts';
import { Marking } from './server/chat-guard/marks.ts';
import { Moderating } from './server/moderating.ts';
import type { ModerationDependencies } from './server/dependencies.ts';

export { tipping } from './server/dependencies.ts';

/** Nothing is asked of it by name: it keeps order through the slot `rooms.guard`. */
export type RoomModerationSlice = Slice<null>;

/** Order in rooms: bans, kicks, silences, room moderators, and what may be said. */
export function roomModerationSlice(deps: ModerationDependencies): RoomModerationSlice {
  const marking = new Marking(deps.secret);
  const moderating = new Moderating(deps);
  const guarding = new Guarding(deps, marking, moderating);
  deps.slots.fill(roomGuard, guarding);
  return {
    name: 'room-moderation',
    service: null,
    callHandlers: [
      ...moderating.answers(),
      ...new Desk(deps, moderating).answers(),
      ...new ChatRulesDesk(deps, guarding, marking).answers(),
    ],
    deadlineHandlers: moderating.due(),
  };
}
