import type { PayloadOf } from '#platform/contract/event.ts';
import { chatUpdate } from '#product/rooms/client.ts';
import { partReducer, type PartRoom } from '#product/rooms/rules/room-part.ts';
import {
  groupGoalChanged,
  groupGoalEnded,
  groupGoalGiven,
  privateDiscount,
  privateEnded,
  privateSettingChanged,
  privateStarted,
  privateTick,
  sharecamSettingChanged,
  showsPart,
  spyEnded,
  spyStarted,
  ticketBought,
  ticketRecordingBought,
  ticketShowChanged,
  ticketShowEnded,
  ticketShowJoined,
  ticketsSold,
} from './client.ts';
import type { LimitedShowView } from './contract/ticket-show.ts';
import { DEFAULT_END_REASON } from './rules/meter.ts';

/** How the last private show of this viewer in a room ended (spec 2 §4.2). */
export interface PrivateEnd {
  readonly reason: string;
  /** Tokens refunded for a fan club membership. */
  readonly fanclubRefund: number;
}
/** The default for a private show that ended without a reason or a refund. */
const USUAL_END: PrivateEnd = { reason: DEFAULT_END_REASON, fanclubRefund: 0 };
/** Null before this viewer's first private show. */
const NO_END: { readonly privateEnd: PrivateEnd | null } = { privateEnd: null };

type Room = PartRoom<typeof showsPart.empty & typeof NO_END>;
const NO_TICKET = { purchased_ticket: false, purchased_recording: false } as const;

const withShow = (room: Room, limitedShow: LimitedShowView | null): Room => ({
  ...room,
  part: { ...room.part, limitedShow },
});
/** Changes the ticket show with this id; events of an earlier show change nothing. */
const changeShow = (room: Room, id: number, change: Partial<LimitedShowView>): Room => {
  const { limitedShow: show } = room.part;
  return show?.id === id ? withShow(room, { ...show, ...change }) : room;
};

/** What the performer offers has changed. */
const withSetting = (room: Room, setting: Partial<Room['part']['userSetting']>): Room => ({
  ...room,
  part: { ...room.part, userSetting: { ...room.part.userSetting, ...setting } },
});

/** The numbers of a private show that the room holds, taken from an event. */
const statsIn = (tick: PayloadOf<typeof privateTick>): NonNullable<Room['part']['privateStats']> => ({
  privatePrepaidTimeLeftSeconds: tick.privatePrepaidTimeLeftSeconds,
  privateStreamTimeInSecond: tick.privateStreamTimeInSecond,
  privateTokenCount: tick.privateTokenCount,
  privateUserTimeLeftInSecond: tick.privateUserTimeLeftInSecond,
});

/** Reducer of a room's shows for one viewer. */
export const showsReducer = partReducer(showsPart, NO_END, (on) => [
  on(chatUpdate, (room, update) => {
    const { private_exclusive: privateExclusive } = { ...showsPart.emptyUpdate, ...update };
    if (privateExclusive === room.part.privateExclusive) return room;
    return { ...room, part: { ...room.part, privateExclusive } };
  }),
  on(privateStarted, (room, { username: privateUsername, stream }) => ({
    status: 'private',
    viewerMode: 'private',
    stream: stream ?? room.stream,
    part: { ...room.part, privateUsername },
  })),
  on(privateTick, (room, tick) => ({ ...room, part: { ...room.part, privateStats: statsIn(tick) } })),
  on(privateDiscount, (room, discount) => ({
    ...room,
    part: { ...room.part, privateDiscount: discount.discountRate === 0 ? null : discount },
  })),
  on(privateSettingChanged, withSetting),
  on(sharecamSettingChanged, withSetting),
  on(privateEnded, (room, { reason_ended: reason, fanclub_refund: refund }) => ({
    ...room,
    status: 'connected',
    viewerMode: 'public',
    part: {
      ...room.part,
      privateUsername: null,
      privateStats: null,
      privateEnd: {
        reason: reason ?? USUAL_END.reason,
        fanclubRefund: refund ?? USUAL_END.fanclubRefund,
      },
    },
  })),
  on(ticketShowChanged, (room, show) => {
    const { limitedShow: known } = room.part;
    const own = known?.id === show.id ? known : NO_TICKET;
    return withShow(room, {
      ...show,
      purchased_ticket: own.purchased_ticket,
      purchased_recording: own.purchased_recording,
    });
  }),
  on(ticketsSold, (room, { id, sold }) => changeShow(room, id, { sold })),
  on(ticketBought, (room, { id, purchased }) => {
    const next = changeShow(room, id, { purchased_ticket: purchased });
    return purchased || next.viewerMode !== 'limited' ? next : { ...next, viewerMode: 'public' };
  }),
  on(
    ticketRecordingBought,
    (room, { id, purchased }) => changeShow(room, id, { purchased_recording: purchased }),
  ),
  on(ticketShowJoined, (room, { id, stream }) => ({
    ...changeShow(room, id, { state: 'running' }),
    status: 'limited',
    viewerMode: 'limited',
    stream: stream ?? room.stream,
  })),
  on(ticketShowEnded, (room, { id }) => {
    const isKnown = room.part.limitedShow?.id === id;
    const next = isKnown ? withShow(room, null) : room;
    return next.viewerMode === 'limited' ? { ...next, viewerMode: 'public' } : next;
  }),
  on(spyStarted, (room, { stream, cost_per_minute: price }) => ({
    ...room,
    viewerMode: 'spy',
    stream: stream ?? room.stream,
    part: { ...room.part, spyRunningPricePerMinuteInToken: price },
  })),
  on(groupGoalChanged, (room, goal) => {
    const { groupGoal: known } = room.part;
    const own = known?.id === goal.id ? known.own : 0;
    return { ...room, part: { ...room.part, groupGoal: { ...goal, own } } };
  }),
  on(groupGoalGiven, (room, { id, own }) => (room.part.groupGoal?.id === id
    ? { ...room, part: { ...room.part, groupGoal: { ...room.part.groupGoal, own } } }
    : room)),
  on(groupGoalEnded, (room, { id }) => (room.part.groupGoal?.id === id
    ? { ...room, part: { ...room.part, groupGoal: null } }
    : room)),
  // The viewer loses the stream's name with the right to watch; after the show everybody gets another stream.
  on(spyEnded, (room) => (room.viewerMode !== 'spy' ? room : {
    ...room,
    viewerMode: 'public',
    stream: room.status === 'private' ? null : room.stream,
    part: { ...room.part, spyRunningPricePerMinuteInToken: null },
  })),
]);
