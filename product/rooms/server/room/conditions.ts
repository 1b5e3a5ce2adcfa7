import type { Caller } from '../../../../platform/contract/context.ts';
import { slot, type Slots } from '../../../../platform/contract/slot.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import { playbackAdmits } from '../../../broadcast/server.ts';
import {
  maySeeStream, mergeConditions, modeIn, placeOf, type ChatStatus, type StreamConditions, type ViewConditions,
} from '../../rules.ts';
import { findSettings } from '../../store.ts';
import { guardOf } from '../chat/guard.ts';

/** How a viewer stands to a room's picture; each condition has one slice that says it. */
export const viewConditions = slot<
  (tx: Tx, caller: Caller, performerId: number) => Promise<Partial<ViewConditions>>
>({
  name: 'rooms.viewConditions',
  description: 'What stands between a viewer and a room\'s picture: camera password, guest overlay, card '
    + 'verification, and the viewer\'s mode. Collected from all; who changes one calls `broadcast.review`.',
  fallback: async () => ({}),
});

/** Who may know the stream of a show that is not for everybody. */
export const showParties = slot<(tx: Tx, performerId: number) => Promise<readonly number[]>>({
  name: 'rooms.showParties', description: 'People beside the performer whom the running show lets in.',
  fallback: async () => [],
});

/** The conditions of one viewer in one room, but for the status of the room. */
export type Standing = (chatStatus: ChatStatus) => StreamConditions;

/** Asks everybody who knows something of how a viewer stands to a room's picture. */
export async function conditionsOf(
  slots: Slots, tx: Tx, caller: Caller, performerId: number,
): Promise<Standing> {
  const told: Partial<ViewConditions>[] = [];
  for (const tell of slots.all(viewConditions)) told.push(await tell(tx, caller, performerId));
  const view = mergeConditions(told);
  const { isStreamer, isRoomAdmin } = placeOf(caller, performerId, false);
  return (chatStatus) => ({
    ...view, mode: modeIn({ isStreamer, chatStatus, mode: view.mode }), chatStatus, isRoomAdmin,
    hasError: false, isReady: true,
  });
}

/** What rooms itself says of viewers: the camera password. */
const OWN_CONDITIONS = 1;

/** Nobody gets the stream whose panel shows something else: the same rule decides both. */
export function admitBySlots(slots: Slots): void {
  slots.fill(playbackAdmits, {
    admits: async (tx, { caller }, performerId, mode) => {
      // Of a player only the caller is known; who is kept out by other marks does not get the room's page.
      const visitor = { caller, address: '', device: null };
      const isAbove = placeOf(caller, performerId, false).isRoomAdmin;
      if (!isAbove && (await guardOf(slots).bars(tx, visitor, performerId))) return false;
      const standing = await conditionsOf(slots, tx, caller, performerId);
      return maySeeStream(standing(mode === 'public' ? 'online' : 'private'));
    },
    // A camera password, and what other slices ask of viewers, tell all of them apart; bans only some.
    singlesOut: async (tx, performerId, mode) => {
      const isForEach = mode !== 'public' || slots.all(viewConditions).length > OWN_CONDITIONS
        || (await findSettings(tx, performerId)).passwordHash !== null;
      return isForEach ? () => true : guardOf(slots).barsSome(tx, performerId);
    },
  });
}
