import { z } from 'zod';
import { event } from '../../platform/contract/event.ts';
import { roomPart } from '../rooms/rules/room-part.ts';

/** Friendship and following between a performer and the viewer of her room. */
export const messagingPart = roomPart({
  key: 'messaging',
  shape: z.object({
    user: z.object({ follower: z.object({ countRecent: z.int(), countTotal: z.int() }) }),
    auth: z.object({
      friendStatus: z.enum(['CONFIRMED', 'REQUESTED', 'TO_CONFIRM']).nullable(),
      /** How this viewer is notified when the performer goes live. */
      notify: z.object({ isEmailEnabled: z.boolean(), isSmsEnabled: z.boolean(), isWebEnabled: z.boolean() }),
    }),
  }),
  empty: {
    user: { follower: { countRecent: 0, countTotal: 0 } },
    auth: {
      friendStatus: null, notify: { isEmailEnabled: false, isSmsEnabled: false, isWebEnabled: false },
    },
  },
});

export const friendRequested = event({
  name: 'v3.user_friend.request', socket: 'room', from: 'server',
  shape: z.object({ user: z.object({ username: z.string() }) }),
  description: 'The performer asks `user` to be her friend. A page of anybody else ignores it.',
  requirements: ['B-357'],
});
