import { z } from 'zod';
import { event } from '../../../platform/contract/event.ts';

/**
 * What happens to a viewer of a room beside its chat: shows, sharecam, friends, media. The slices that own
 * these tell them; a room's page takes them all, because they change how the room stands.
 */
const toRoom = { socket: 'room', from: 'server' } as const;

export const privateStarted = event({
  name: 'v3.private.started', ...toRoom,
  shape: z.object({
    /** Username of the viewer in it. */
    username: z.string(),
    /** Username of the performer. */
    broadcaster: z.string(),
    /** Tokens. */
    cost_per_minute: z.number(),
    prepaid_seconds: z.number(), remaining_seconds: z.number(),
    /** Seconds it lasts already. */
    duration: z.number(),
    tokens_charged: z.int(),
    /** Seconds. */
    freeSpyPreviewDuration: z.number(),
    type: z.string(), source: z.string(),
    /** Name of its stream, for who may have it. */
    stream: z.string().nullable(),
  }),
  description: 'A private show started, to the two in it on their seats in the room. Everybody else hears '
    + '`v3.chat.update` with the status private, and keeps their mode.',
  requirements: ['B-342'],
});
export const privateEnded = event({
  name: 'v3.private.end', ...toRoom,
  shape: z.object({
    /** Tokens given back by the fan club; null counts as 0. */
    fanclub_refund: z.number().nullable(),
    /** Null: out of tokens. */
    reason_ended: z.string().nullable(),
  }),
  description: 'The private show of this viewer, or of this performer, is over.', requirements: ['B-344'],
});
export const privateDeclined = event({
  name: 'v3.private.declined', ...toRoom, shape: z.object({ username: z.string() }),
  description: 'The performer (`username`) declined this viewer\'s request for a private show.',
  requirements: ['B-340'],
});
export const privateFailed = event({
  name: 'v3.private.request_failed', ...toRoom,
  shape: z.object({ errorType: z.string().nullable(), error: z.string().nullable() }),
  description: 'This viewer\'s private show could not start. `errorType` is the code of a refusal, `error` '
    + 'its text.',
  requirements: ['B-345'],
});
export const spyEnded = event({
  name: 'v3.spy.end', ...toRoom, shape: z.object({}),
  description: 'This viewer no longer spies on the private show of the room.', requirements: ['B-346'],
});
export const sharecamDeclined = event({
  name: 'v3.sharecam.declined', ...toRoom, shape: z.object({ model_display_name: z.string() }),
  description: 'The performer declined to watch this viewer\'s camera.', requirements: ['B-348'],
});
export const friendRequested = event({
  name: 'v3.user_friend.request', ...toRoom, shape: z.object({ user: z.object({ username: z.string() }) }),
  description: 'The performer asks `user` to be her friend. Whoever hears it and is somebody else lets it '
    + 'pass.',
  requirements: ['B-357'],
});
export const mediaChanged = event({
  name: 'v3.chat.update_media_list', ...toRoom, shape: z.object({}),
  description: 'The performer\'s media changed: a page asks for them anew after a random 2 to 12 s, so that '
    + 'a full room does not ask in one moment.',
  requirements: ['B-369'],
});
