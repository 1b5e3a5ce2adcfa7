import type { ModelSettingsView, RoomDataView } from '../contract.ts';
import { modeIn, needsPassword, streamStatus, type StreamConditions, type StreamStatus } from '../rules.ts';
import {
  EMPTY_LIVE_ROOM,
  isLockedAfter,
  reduceRoom,
  type LiveRoom,
  type Reducing,
  type RoomEntry,
} from './live-room.ts';
import { readPart, withFields, type PartReducer } from './room-part.ts';

/**
 * The room data after an event of the room, by the reducer of the live room. Ignores events of other rooms:
 * participants of a show receive its events on all their sockets.
 */
export function withEvent(
  room: RoomDataView,
  { name, payload }: Pick<RoomEntry, 'name' | 'payload'>,
  reducing: Reducing = {},
): RoomDataView {
  const from = (payload as { readonly id?: unknown }).id;
  if (name === 'v3.chat.update' && from !== room.user.id) return room;
  const { reducers = [] } = reducing;
  const before = liveRoomOf(room, reducers);
  const after = reduceRoom(before, { name, payload, seq: null }, reducing);
  return after === before ? room : withLiveRoom(room, after, reducers);
}

/** The part of the room data that events change. */
const liveRoomOf = (room: RoomDataView, reducers: readonly PartReducer[]): LiveRoom => ({
  ...EMPTY_LIVE_ROOM,
  status: room.chat.status,
  stream: room.stream.stream_name,
  mode: room.chat.roomMode,
  viewerMode: room.chat.mode,
  subject: room.chat.subjectText,
  subjectColor: room.chat.subjectColor,
  userCount: room.chat.userCount,
  parts: Object.fromEntries(
    reducers.map(({ part, initial }) => [part.key, { ...initial, ...readPart(room, part) }]),
  ),
});

/** The room data with this live state, and with the resulting stream status. */
function withLiveRoom(
  room: RoomDataView,
  live: LiveRoom,
  reducers: readonly PartReducer[],
): RoomDataView {
  const { status, viewerMode, mode: roomMode, userCount, settings } = live;
  const own = {
    ...room,
    chatUserCount: userCount,
    stream: { ...room.stream, stream_name: live.stream },
    chat: {
      ...room.chat,
      status,
      roomMode,
      mode: viewerMode,
      userCount,
      subjectText: live.subject,
      subjectColor: live.subjectColor,
    },
    userSetting: settings === null ? room.userSetting : withSettings(room.userSetting, settings),
  };
  const next = reducers.reduce(
    (data, { part }) => withFields(data, readPart(live.parts[part.key] ?? part.empty, part)),
    own,
  );
  const conditions = conditionsOf(next);
  const { mode } = conditions;
  return {
    ...next,
    chat: { ...next.chat, mode },
    mode: mode === 'public' ? roomMode : mode,
    streamStatus: streamStatus(conditions),
  };
}

/** A new camera password locks viewers who entered the old one. */
const withSettings = (
  before: RoomDataView['userSetting'],
  settings: ModelSettingsView,
): RoomDataView['userSetting'] => ({
  ...before,
  ...settings,
  hasCamPassword: isLockedAfter(before, settings),
});

/** Chat statuses in which something is on air. */
const ON_AIR: ReadonlySet<RoomDataView['chat']['status']> = new Set([
  'online',
  'online_ai',
  'private',
  'limited',
  'reconnecting',
]);

/** Sets `lastOnlineAt` when an event at `now` took the room off air. */
export const withEnd = (before: RoomDataView, after: RoomDataView, now: Date): RoomDataView => (
  after.chat.status === 'offline' && ON_AIR.has(before.chat.status)
    ? { ...after, chat: { ...after.chat, lastOnlineAt: now.toISOString() } }
    : after
);

/** The stream conditions of a loaded room, for this viewer. */
export function conditionsOf(
  { chat, auth, userSetting, isShowGuestOverlay, ccVerification }: RoomDataView,
): StreamConditions {
  const { isStreamer, isRoomAdmin } = auth;
  // Nobody takes part in a show after it has ended.
  const isShow = chat.status === 'private' || chat.status === 'limited';
  const ofChat = isStreamer && !isShow ? 'public' : chat.mode;
  const mode = modeIn({ isStreamer, chatStatus: chat.status, mode: ofChat });
  return {
    hasError: false,
    isReady: true,
    isRoomAdmin,
    chatStatus: chat.status,
    mode,
    isShowGuestOverlay,
    hasCamPassword: needsPassword(userSetting.hasCamPassword, { chatStatus: chat.status, mode }),
    isCardRequired: ccVerification.isRequired,
    hasCard: ccVerification.hasCard,
  };
}

/** What the video panel shows for a room that loads, failed to load, or is loaded. */
export function statusOf(room: RoomDataView | undefined, hasError: boolean): StreamStatus {
  if (room) return streamStatus(conditionsOf(room));
  return streamStatus({ ...NOTHING_KNOWN, hasError });
}

const NOTHING_KNOWN: StreamConditions = {
  hasError: false,
  isReady: false,
  hasCamPassword: false,
  isRoomAdmin: false,
  chatStatus: 'offline',
  mode: 'public',
  isShowGuestOverlay: false,
  isCardRequired: false,
  hasCard: false,
};
