import { partReducer } from '#product/rooms/rules/room-part.ts';
import { mediaChanged, shopPart } from './client.ts';

/** How the media of a room change: `mediaChanges` counts, and a page asks for the media again. */
export const shopReducer = partReducer(shopPart, { mediaChanges: 0 }, (on) => [
  on(mediaChanged, (room) => (
    { ...room, part: { ...room.part, mediaChanges: room.part.mediaChanges + 1 } }
  )),
]);

/** The pages of a full room ask within this time, and not in one moment (spec 2 §4.13). */
const MEDIA_WAIT_MS = { least: 2_000, most: 12_000 };
/** How long a page waits before it asks for changed media. @param chance from 0 up to 1 */
export const mediaWaitMs = (chance: number): number =>
  MEDIA_WAIT_MS.least + chance * (MEDIA_WAIT_MS.most - MEDIA_WAIT_MS.least);
