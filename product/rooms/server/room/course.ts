import { subscribe, type Subscription } from '../../../../platform/contract/bind.ts';
import {
  personChannel, seatChannel, topicChannel, type PayloadOf,
} from '../../../../platform/contract/event.ts';
import type { Extensions } from '../../../../platform/contract/extension-point.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import {
  broadcastEnded, broadcastInterrupted, broadcastMoved, broadcastResumed, broadcastStarted, detailsChanged,
  standbyChanged,
} from '../../../broadcast/contract.ts';
import { chatSubject, chatUpdate } from '../../contract.ts';
import { showParties } from '../../extension-points.ts';
import {
  moderatorsTopic, followBroadcast, roomTopic, type KeptRoom, type RoomMode, type RoomState,
} from '../../rules.ts';
import { findSettings, lockState, provenSeats, saveState } from '../../store.ts';
import { updateFieldsOf } from './parts.ts';
import { record } from '../chat/log.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { scheduleNotice } from '../chat/notices.ts';

/** The state of a room as `v3.chat.update` says it, with the fields of every part. */
export const updateOf = (
  performerId: number, { status, stream, mode }: RoomState & { readonly mode: RoomMode }, partFields: object,
): PayloadOf<typeof chatUpdate> => ({
  ...partFields, id: performerId, status, mode, stream_name: stream, origin_server: null, thumb_small: null,
});

/** Tells a room how it stands. Behind a camera password the stream is named to those who passed it alone. */
export async function tellCourse(
  extensions: Extensions, tx: Tx, performerId: number, room: KeptRoom,
): Promise<void> {
  const { passwordHash, passwordNumber } = await findSettings(tx, performerId);
  const whole = updateOf(performerId, room, await updateFieldsOf(extensions, tx, performerId));
  const isLocked = passwordHash !== null && room.stream !== null;
  await record(tx, performerId, chatUpdate, () => ({
    payload: isLocked ? { ...whole, stream_name: null } : whole,
  }));
  if (!isLocked) return;
  const topic = roomTopic(performerId);
  await tx.send(topicChannel(moderatorsTopic(performerId)), chatUpdate, whole);
  for (const seat of await provenSeats(tx, performerId, passwordNumber)) {
    await tx.send(seatChannel(topic, seat), chatUpdate, whole);
  }
}

/** What `/setmode` makes of the chat; nothing is told when it was so before. */
export async function setMode(
  extensions: Extensions, tx: Tx, performerId: number, mode: RoomMode,
): Promise<void> {
  const before = await lockState(tx, performerId);
  if (before.mode === mode) return;
  await saveState(tx, performerId, { ...before, mode });
  await tellCourse(extensions, tx, performerId, { ...before, mode });
}

/** The room follows its broadcast. Facts of several kinds come in any order, so each only says where to look.
 * */
export function courseHearings({ data, extensions, broadcast }: RoomsDependencies): Subscription[] {
  const follow = async (tx: Tx, performerId: number, tellsAnyway = false): Promise<void> => {
    const before = await lockState(tx, performerId);
    const after = followBroadcast(before, await broadcast.viewOf(tx, performerId));
    if (after !== before) await saveState(tx, performerId, after);
    else if (!tellsAnyway) return;
    await tellCourse(extensions, tx, performerId, after);
    if (before.status === 'offline' && after.status === 'online') await scheduleNotice(tx, performerId);
  };
  /** Those in a show that is not for everybody hear its stream, each on their own channel. */
  const tellParties = async (tx: Tx, performerId: number): Promise<void> => {
    const { mode, stream } = await broadcast.viewOf(tx, performerId);
    if (mode === 'public' || stream === null) return;
    const room = await lockState(tx, performerId);
    const partFields = await updateFieldsOf(extensions, tx, performerId);
    const update = updateOf(performerId, { ...room, status: 'private', stream }, partFields);
    for (const personId of [performerId, ...(await extensions.one(showParties)(tx, performerId))]) {
      await tx.send(personChannel(personId), chatUpdate, update);
    }
  };
  const followed = ({ operatorId, payload: { performerId } }: {
    operatorId: number; payload: { performerId: number };
  }): Promise<void> => data.tx({ operatorId }, (tx) => follow(tx, performerId));
  return [
    subscribe(broadcastStarted, 'rooms.broadcastStarted')(followed),
    // Told though the room may stand as before: an interruption can be over before the room hears of it, and
    // players that lost their picture in it wait for this.
    subscribe(broadcastResumed, 'rooms.broadcastResumed')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, (tx) => follow(tx, performerId, true))),
    subscribe(broadcastInterrupted, 'rooms.broadcastInterrupted')(followed),
    subscribe(broadcastEnded, 'rooms.broadcastEnded')(followed),
    subscribe(standbyChanged, 'rooms.standbyChanged')(followed),
    subscribe(broadcastMoved, 'rooms.broadcastMoved')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, async (tx) => {
        await follow(tx, performerId);
        await tellParties(tx, performerId);
      })),
    subscribe(detailsChanged, 'rooms.detailsChanged')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, async (tx) => {
        // As it stands now: two changes may be heard in another order.
        const { title: subject } = await broadcast.viewOf(tx, performerId);
        const { subjectColor: subject_color } = await findSettings(tx, performerId);
        await record(tx, performerId, chatSubject, () => ({ payload: { subject, subject_color } }));
      })),
  ];
}
