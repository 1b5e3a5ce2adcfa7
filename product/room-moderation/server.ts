import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomGuard } from '../rooms/extension-points.ts';
import { ChatRulesHandlers } from './server/chat-rules.ts';
import { ModerationPanel } from './server/panel.ts';
import { ModerationGuard } from './server/chat-guard/guard.ts';
import { Marking } from './server/chat-guard/marks.ts';
import { ModerationActions } from './server/actions.ts';
import type { ModerationDependencies } from './server/dependencies.ts';

/** It has no service: it works by implementing `rooms.guard`. */
export type RoomModerationSlice = Slice<null>;

/** Moderation of rooms: bans, kicks, silences, room moderators, and the spam ladder. */
export function roomModerationSlice(deps: ModerationDependencies): RoomModerationSlice {
  const marking = new Marking(deps.secret);
  const actions = new ModerationActions(deps);
  const guard = new ModerationGuard(deps, marking, actions);
  return {
    name: 'room-moderation',
    service: null,
    extensions: [implement(roomGuard, guard)],
    callHandlers: [
      ...actions.callHandlers(),
      ...new ModerationPanel(deps, actions).callHandlers(),
      ...new ChatRulesHandlers(deps, guard, marking).callHandlers(),
    ],
    deadlineHandlers: actions.deadlineHandlers(),
  };
}
