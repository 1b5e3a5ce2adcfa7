import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomGuard } from '../rooms/extension-points.ts';
import { ChatRulesDesk } from './server/chat-rules.ts';
import { Desk } from './server/desk.ts';
import { Guarding } from './server/chat-guard/guarding.ts';
import { Marking } from './server/chat-guard/marks.ts';
import { Moderating } from './server/moderating.ts';
import type { ModerationDependencies } from './server/dependencies.ts';

/** Nothing is asked of it by name: it keeps order by implementing `rooms.guard`. */
export type RoomModerationSlice = Slice<null>;

/** Order in rooms: bans, kicks, silences, room moderators, and what may be said. */
export function roomModerationSlice(deps: ModerationDependencies): RoomModerationSlice {
  const marking = new Marking(deps.secret);
  const moderating = new Moderating(deps);
  const guarding = new Guarding(deps, marking, moderating);
  return {
    name: 'room-moderation',
    service: null,
    extensions: [implement(roomGuard, guarding)],
    callHandlers: [
      ...moderating.answers(),
      ...new Desk(deps, moderating).answers(),
      ...new ChatRulesDesk(deps, guarding, marking).answers(),
    ],
    deadlineHandlers: moderating.due(),
  };
}
