import { chatUpdate } from '../rooms/client.ts';
import { partReducer } from '../rooms/rules/room-part.ts';
import {
  privateDiscount, privateEnded, privateSettingChanged, privateStarted, privateTick, showsPart, spyEnded,
} from './client.ts';

/** How the last private show of this viewer in a room ended (spec 2 §4.2). */
export interface PrivateEnd {
  readonly reason: string;
  /** Tokens refunded for a fan club membership. */
  readonly fanclubRefund: number;
}
/** Of a private show that ended without a reason or a refund. */
const USUAL_END: PrivateEnd = { reason: 'out_of_tokens', fanclubRefund: 0 };
/** Null before this viewer's first private show. */
const NO_END: { readonly privateEnd: PrivateEnd | null } = { privateEnd: null };

/** How the shows of a room change for one viewer. */
export const showsReducer = partReducer(showsPart, NO_END, (on) => [
  on(chatUpdate, (room, update) => {
    const { private_exclusive: privateExclusive } = { ...showsPart.emptyUpdate, ...update };
    if (privateExclusive === room.part.privateExclusive) return room;
    return { ...room, part: { ...room.part, privateExclusive } };
  }),
  on(privateStarted, (room, { username: privateUsername, stream }) => ({
    status: 'private', viewerMode: 'private', stream: stream ?? room.stream,
    part: { ...room.part, privateUsername },
  })),
  on(privateTick, (room, { username: _viewer, broadcaster: _performer, is_paused: _paused, ...stats }) =>
    ({ ...room, part: { ...room.part, privateStats: stats } })),
  on(privateDiscount, (room, discount) => ({
    ...room, part: { ...room.part, privateDiscount: discount.discountRate === 0 ? null : discount },
  })),
  on(privateSettingChanged, (room, setting) => ({ ...room, part: { ...room.part, userSetting: setting } })),
  on(privateEnded, (room, { reason_ended: reason, fanclub_refund: refund }) => ({
    ...room, status: 'connected', viewerMode: 'public',
    part: {
      ...room.part, privateUsername: null, privateStats: null,
      privateEnd: {
        reason: reason ?? USUAL_END.reason, fanclubRefund: refund ?? USUAL_END.fanclubRefund,
      },
    },
  })),
  on(spyEnded, (room) => (room.viewerMode === 'public' ? room : { ...room, viewerMode: 'public' })),
]);
