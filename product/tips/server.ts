import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { grants, personalData } from '#product/accounts/extension-points.ts';
import { chatCommands, roomParts, tipping } from '#product/rooms/extension-points.ts';
import { partSource } from '#product/rooms/server.ts';
import { tipsPart } from './contract/splits.ts';
import type { TipsDependencies } from './server/dependencies.ts';
import { Goals } from './server/goals.ts';
import { menuHandlers } from './server/menu.ts';
import { Effects } from './server/overlay/effects.ts';
import {
  overlayHandlers,
  overlaySockets,
  revokeOverlayOf,
  type OverlaySockets,
} from './server/overlay/overlay.ts';
import { counted } from './server/sending/counting.ts';
import { historyHandlers } from './server/sending/histories.ts';
import { sendingHandlers } from './server/sending/sending.ts';
import { Splits } from './server/sending/splits.ts';
import { viewHandlers } from './server/views.ts';
import { hasTipped, lastTipAt, sumOwnRecent, sumRecent } from './store.ts';
import { findGoals, findRunningGoals, sumReceived } from './store/goals.ts';
import { findMenu } from './store/menu.ts';
import { ownRows } from './store/own-rows.ts';

export { localeOf } from './server/dependencies.ts';

export interface TipsService {
  /** Which tools a performer uses: a goal, and a menu with items. */
  readonly toolsOf: (tx: Tx, performerId: number) => Promise<{
    readonly hasGoal: boolean;
    readonly hasMenu: boolean;
  }>;
  /** Running goals of many performers, and their tokens received in the last hour: for listings. */
  readonly momentsOf: (tx: Tx, performerIds: readonly number[]) => Promise<{
    readonly goals: ReadonlyMap<number, { readonly target: number; readonly progress: number }>;
    readonly recent: ReadonlyMap<number, number>;
  }>;
  /** When somebody last tipped a performer, anonymously or not; null for never. */
  readonly lastTipAt: (tx: Tx, senderId: number, receiverId: number) => Promise<Date | null>;
  /**
   * Tokens that somebody tipped a performer in the last 24 h, including anonymous tips: only for that person.
   * Others see the sum without anonymous tips.
   */
  readonly ownRecentTips: (tx: Tx, senderId: number, receiverId: number) => Promise<number>;
  /** Adds a goal after a performer's other goals, without HTTP: for seeds. */
  readonly addGoal: (
    tx: Tx,
    performerId: number,
    goal: { readonly title: string; readonly target: number },
  ) => Promise<void>;
  /** Sockets of overlays, for the gateway. */
  readonly overlays: OverlaySockets;
}
export type TipsSlice = Slice<TipsService>;

/** Tips: exact, never lost, never doubled, seen by everyone in the room. */
export function tipsSlice(deps: TipsDependencies): TipsSlice {
  const effects = new Effects(deps);
  const goals = new Goals(deps, effects);
  const splits = new Splits(deps, effects);
  return {
    name: 'tips',
    service: {
      toolsOf: async (tx, performerId) => ({
        hasGoal: (await findGoals(tx, performerId)).length > 0,
        hasMenu: (await findMenu(tx, performerId)).length > 0,
      }),
      momentsOf: async (tx, performerIds) => ({
        goals: await findRunningGoals(tx, performerIds),
        recent: await sumReceived(tx, performerIds, new Date(tx.now.getTime() - HOUR_MS)),
      }),
      lastTipAt,
      ownRecentTips: sumOwnRecent,
      addGoal: (tx, performerId, goal) => goals.add(tx, performerId, goal),
      overlays: overlaySockets(deps),
    },
    extensions: [
      implement(personalData, ownRows),
      implement(grants, revokeOverlayOf),
      implement(tipping, { recentTips: sumRecent, hasTipped }),
      implement(chatCommands, (tx, command) => splits.command(tx, command)),
      implement(
        roomParts,
        partSource({
          part: tipsPart,
          load: async (tx, _caller, performerId) => {
            const { mode, splitters, target_splitters, split_amount, remaining } = await splits.view(
              tx,
              performerId,
            );
            return { tipSplit: { mode, splitters, target_splitters, split_amount, remaining } };
          },
        }),
      ),
    ],
    callHandlers: [
      ...sendingHandlers(deps),
      ...menuHandlers(deps),
      ...goals.callHandlers(),
      ...splits.callHandlers(),
      ...effects.callHandlers(),
      ...overlayHandlers(deps),
      ...historyHandlers(deps),
      ...viewHandlers(
        deps,
        splits,
      ),
    ],
    subscriptions: [counted(deps, goals, effects), ...effects.subscriptions(), ...splits.subscriptions()],
    eventHandlers: effects.eventHandlers(),
    deadlineHandlers: [...effects.due(), ...splits.due()],
  };
}
