import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { personChannel, topicChannel, topicPersonChannel, type PayloadOf } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import {
  broadcastEnded,
  broadcastInterrupted,
  broadcastMoved,
  broadcastResumed,
  broadcastStarted,
  detailsChanged,
  standbyChanged,
} from '#product/broadcast/contract.ts';
import { performerHidden } from '#product/compliance/contract.ts';
import { chatSubject, chatUpdate, reconnectRequired } from '../../contract.ts';
import { showParties } from '../../extension-points.ts';
import {
  followBroadcast,
  moderatorsTopic,
  roomTopic,
  type RoomMode,
  type RoomState,
  type StoredRoom,
} from '../../rules.ts';
import { lockState, saveState } from '../../store.ts';
import { findSettings, provenViewers } from '../../store/settings.ts';
import { record } from '../chat/log.ts';
import { scheduleNotice } from '../chat/notices.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { updateFieldsOf } from './parts.ts';

/** The payload of `v3.chat.update`, with the fields of every part. */
export const updateOf = (
  performerId: number,
  { status, stream, mode }: RoomState & { readonly mode: RoomMode },
  partFields: object,
): PayloadOf<typeof chatUpdate> => ({
  ...partFields,
  id: performerId,
  status,
  mode,
  stream_name: stream,
  origin_server: null,
  thumb_small: null,
});

/** Sends a room its state. Behind a camera password, only those who entered it receive the stream's name. */
export async function sendRoomState(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  room: StoredRoom,
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
  for (const viewer of await provenViewers(tx, performerId, passwordNumber)) {
    await tx.send(topicPersonChannel(topic, viewer), chatUpdate, whole);
  }
}

/** Sets the mode of the chat; sends nothing when it is unchanged. */
export async function setMode(
  extensions: Extensions,
  tx: Tx,
  performerId: number,
  mode: RoomMode,
): Promise<void> {
  const before = await lockState(tx, performerId);
  if (before.mode === mode) return;
  await saveState(tx, performerId, { ...before, mode });
  await sendRoomState(extensions, tx, performerId, { ...before, mode });
}

/** The room follows its broadcast. Facts may arrive in any order, so each handler reads the current state. */
export function roomStateSubscriptions(
  { data, extensions, broadcast, compliance }: RoomsDependencies,
): Subscription[] {
  const follow = async (tx: Tx, performerId: number, sendsAnyway = false): Promise<void> => {
    const before = await lockState(tx, performerId);
    const after = followBroadcast(before, await broadcast.viewOf(tx, performerId));
    if (after !== before) await saveState(tx, performerId, after);
    if (after !== before || sendsAnyway) await sendRoomState(extensions, tx, performerId, after);
    // The performer is hidden: all sockets reconnect at once, and people who may not perceive the performer
    // are refused. By then they have seen that the show is over.
    if (after.status === 'offline' && await compliance.isHidden(tx, performerId)) {
      await tx.send(topicChannel(roomTopic(performerId)), reconnectRequired, {});
    }
    if (before.status === 'offline' && after.status === 'online') await scheduleNotice(tx, performerId);
  };
  /** Sends the stream of a show that is not public to its participants, each on their own channel. */
  const sendToParties = async (tx: Tx, performerId: number): Promise<void> => {
    const { mode, stream } = await broadcast.viewOf(tx, performerId);
    if (mode === 'public' || stream === null) return;
    const room = await lockState(tx, performerId);
    const partFields = await updateFieldsOf(extensions, tx, performerId);
    const update = updateOf(performerId, { ...room, status: mode, stream }, partFields);
    for (const personId of [performerId, ...(await extensions.one(showParties)(tx, performerId))]) {
      await tx.send(personChannel(personId), chatUpdate, update);
    }
  };
  const followed = ({ operatorId, payload: { performerId } }: {
    operatorId: number;
    payload: { performerId: number };
  }): Promise<void> => data.tx({ operatorId }, (tx) => follow(tx, performerId));
  return [
    subscribe(broadcastStarted, 'rooms.broadcastStarted')(followed),
    // Sent even when the room is unchanged: an interruption may end before its fact is delivered, and players
    // that lost the video wait for this event.
    subscribe(broadcastResumed, 'rooms.broadcastResumed')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, (tx) => follow(tx, performerId, true))
    ),
    subscribe(broadcastInterrupted, 'rooms.broadcastInterrupted')(followed),
    subscribe(broadcastEnded, 'rooms.broadcastEnded')(followed),
    subscribe(standbyChanged, 'rooms.standbyChanged')(followed),
    subscribe(performerHidden, 'rooms.performerHidden')(followed),
    subscribe(broadcastMoved, 'rooms.broadcastMoved')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, async (tx) => {
        await follow(tx, performerId);
        await sendToParties(tx, performerId);
      })
    ),
    subscribe(detailsChanged, 'rooms.detailsChanged')(({ operatorId, payload: { performerId } }) =>
      data.tx({ operatorId }, async (tx) => {
        // Reads the current details: two facts may be delivered in another order.
        const { title: subject } = await broadcast.viewOf(tx, performerId);
        const { subjectColor: subject_color } = await findSettings(tx, performerId);
        await record(tx, performerId, chatSubject, () => ({ payload: { subject, subject_color } }));
      })
    ),
  ];
}
