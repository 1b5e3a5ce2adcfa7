import { partReducer } from '../rooms/rules/room-part.ts';
import { friendRequested, messagingPart } from './client.ts';

/** How the friendship of a viewer with the performer of a room changes. */
export const messagingReducer = partReducer(messagingPart, {}, (on) => [
  on(friendRequested, (room, { user }, me) => (user.username !== me ? room : {
    ...room, part: { ...room.part, auth: { ...room.part.auth, friendStatus: 'TO_CONFIRM' } },
  })),
]);
