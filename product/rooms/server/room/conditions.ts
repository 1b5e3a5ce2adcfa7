import type { Caller } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { PlaybackAdmits } from '#product/broadcast/extension-points.ts';
import { roomGuard, viewConditions } from '../../extension-points.ts';
import {
  DEVICE_COOKIE,
  maySeeStream,
  modeIn,
  needsPassword,
  roomRightsOf,
  type ChatStatus,
  type StreamConditions,
} from '../../rules.ts';
import { withDecided, type Decided } from '../../rules/view-conditions.ts';
import { findSettings } from '../../store/settings.ts';
import { isLockedFor } from './settings.ts';

/** The conditions of one viewer in one room, given the chat status of the room. */
export type ConditionsAt = (chatStatus: ChatStatus) => StreamConditions;

/** The conditions for seeing the video: the camera password of this slice, and those of later slices. */
export async function conditionsOf(
  extensions: Extensions,
  tx: Tx,
  caller: Caller,
  performerId: number,
): Promise<ConditionsAt> {
  const deciding = extensions.all(viewConditions).map(async ({ decides, of }): Promise<Decided> => ({
    decides,
    values: await of(tx, caller, performerId),
  }));
  const [hasCamPassword, ...decided] = await Promise.all([isLockedFor(tx, caller, performerId), ...deciding]);
  const view = withDecided(decided);
  const { isStreamer, isRoomAdmin } = roomRightsOf(caller, performerId, false);
  return (chatStatus) => {
    const mode = modeIn({ isStreamer, chatStatus, mode: view.mode });
    return {
      ...view,
      mode,
      chatStatus,
      isRoomAdmin,
      hasError: false,
      isReady: true,
      hasCamPassword: needsPassword(hasCamPassword, { chatStatus, mode }),
    };
  };
}

/** Playback is admitted by the same rule that shows the video on the page. */
export const playbackBy = (extensions: Extensions): PlaybackAdmits => ({
  admits: async (tx, { caller }, performerId, mode, request) => {
    // Address and device of a running player are unknown; people banned by those never got its token.
    const visitor = {
      caller,
      address: request?.address ?? '',
      device: request?.cookie(DEVICE_COOKIE) ?? null,
    };
    const isAbove = roomRightsOf(caller, performerId, false).isRoomAdmin;
    if (!isAbove && (await extensions.one(roomGuard).isExcluded(tx, visitor, performerId))) return false;
    const conditions = await conditionsOf(extensions, tx, caller, performerId);
    return maySeeStream(conditions(mode === 'public' ? 'online' : mode));
  },
  // Camera passwords and conditions of other slices differ by viewer; bans concern only some.
  singlesOut: async (tx, performerId, mode) => {
    // A viewer's show does not matter for the public room.
    const isForEach = mode !== 'public'
      || extensions.all(viewConditions).some(({ decides }) => decides.some((text) => text !== 'mode'))
      || (await findSettings(tx, performerId)).passwordHash !== null;
    return isForEach ? () => true : extensions.one(roomGuard).mayExclude(tx, performerId);
  },
});
