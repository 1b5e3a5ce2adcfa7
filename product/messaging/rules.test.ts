import {
  EMPTY_LIVE_ROOM,
  NO_ROOMS,
  partStateOf,
  reduceRoom,
  reduceRooms,
  type LiveRoom,
} from '#product/rooms/rules/live-room.ts';
import { withEvent } from '#product/rooms/rules/room-data.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { offlineRoom } from '#product/testkit/rooms/room-data.ts';
import { expect, it } from 'vitest';
import { friendRequested, messagingPart, relationChanged } from './contract.ts';
import { messagingReducer } from './rules.ts';

const reducers = [messagingReducer];
const requestTo = (username: string) => ({
  name: friendRequested.name,
  payload: { user: { username } },
  seq: null,
});
const statusIn = (room: LiveRoom | undefined) =>
  room && partStateOf(room, messagingReducer).auth.friendStatus;

it('a friend is asked for by name', () => {
  const online: LiveRoom = { ...EMPTY_LIVE_ROOM, status: 'online', stream: 'a', seq: 3 };
  const asked = (me: string | null): LiveRoom => reduceRoom(online, requestTo('ann'), { reducers, me });
  expect(statusIn(asked('ann'))).toBe('TO_CONFIRM');
  expect({ ...asked('ann'), parts: {} }).toEqual(online);
  expect([asked('bob'), asked(null)]).toEqual([online, online]);
});

it('a request is of the room it came in, and changes the data of that room', () => {
  const open = reduceRooms(NO_ROOMS, { type: 'open', username: 'velvet' });
  const both = reduceRooms(open, { type: 'open', username: 'luna' });
  const action = { type: 'event', username: 'luna', entry: requestTo('ann'), me: 'ann', reducers } as const;
  const { rooms } = reduceRooms(both, action);
  expect([statusIn(rooms['velvet']), statusIn(rooms['luna'])]).toEqual([null, 'TO_CONFIRM']);
  const asked = (username: string, me: string | null) =>
    readPart(withEvent(offlineRoom, requestTo(username), { reducers, me }), messagingPart).auth.friendStatus;
  expect([asked('mira', 'mira'), asked('mira', 'rude'), asked('mira', null)])
    .toEqual(['TO_CONFIRM', null, null]);
});

it('a viewer’s other tabs follow what changed in one', () => {
  const relation = { is_following: true, is_hidden: false, follower: { countRecent: 2, countTotal: 12 } };
  const entry = { name: relationChanged.name, payload: relation, seq: null };
  const { auth, user } = readPart(withEvent(offlineRoom, entry, { reducers, me: 'ann' }), messagingPart);
  expect([auth.isFollowing, auth.isHidden, user.follower]).toEqual([true, false, relation.follower]);
  expect(auth.friendStatus).toBe(null);
});
