import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { blockedWords, personalData, settingsPart, userPart } from '#product/accounts/extension-points.ts';
import { roomGuard } from '#product/rooms/extension-points.ts';
import { ModerationActions } from './server/actions.ts';
import { ModerationGuard } from './server/chat-guard/guard.ts';
import { Marking } from './server/chat-guard/marks.ts';
import { hasBlockedWord, patternOf } from './server/chat-guard/words.ts';
import { ChatRulesHandlers } from './server/chat-rules.ts';
import type { ModerationDependencies } from './server/dependencies.ts';
import { ModerationPanel } from './server/panel.ts';
import { roomSettings, silencedPart } from './server/settings.ts';
import { ownRows } from './store/own-rows.ts';
import { findSiteWords } from './store/rules.ts';

/** Rooms are moderated by implementing `rooms.guard`; other slices only need the site's blocked words. */
export interface RoomModerationService {
  /** A check whether a text contains one of the site's blocked words of this moment, in any spelling. */
  readonly siteWordsOf: (tx: Tx) => Promise<(text: string) => boolean>;
}
export type RoomModerationSlice = Slice<RoomModerationService>;

/** Moderation of rooms: bans, kicks, silences, room moderators, and the spam ladder. */
export function roomModerationSlice(deps: ModerationDependencies): RoomModerationSlice {
  const marking = new Marking(deps.secret);
  const actions = new ModerationActions(deps);
  const guard = new ModerationGuard(deps, marking, actions);
  const siteWordsOf: RoomModerationService['siteWordsOf'] = async (tx) => {
    const patterns = (await findSiteWords(tx)).map(patternOf).filter((pattern) => pattern !== null);
    return (text) => hasBlockedWord(text, patterns);
  };
  return {
    name: 'room-moderation',
    service: { siteWordsOf },
    extensions: [
      implement(personalData, ownRows),
      implement(roomGuard, guard),
      implement(settingsPart, roomSettings),
      implement(userPart, silencedPart),
      implement(blockedWords, async (tx, text) => (await siteWordsOf(tx))(text)),
    ],
    callHandlers: [
      ...actions.callHandlers(),
      ...new ModerationPanel(deps, actions).callHandlers(),
      ...new ChatRulesHandlers(deps, guard, marking).callHandlers(),
    ],
    deadlineHandlers: actions.deadlineHandlers(),
  };
}
