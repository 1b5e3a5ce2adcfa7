import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { z } from 'zod';
import { ChatMessage } from '../contract.ts';
import { RESTRICTIONS } from '../rules.ts';

export const messageWithheld = event({
  name: 'v3.chat.held',
  socket: 'room',
  from: 'server',
  shape: z.object({ verdict: z.enum(['hold', 'shadow']), heldId: z.int().nullable(), message: ChatMessage }),
  description: 'To moderators: a message is held for approval (hold), or only its sender sees it (shadow).',
});

export const heldRejected = event({
  name: 'v3.chat.held_rejected',
  socket: 'room',
  from: 'server',
  shape: z.object({ message: z.string() }),
  description: 'To the sender of a held message: a moderator rejected it.',
});

/** A moderation of somebody in a room (spec 2 §4.7). */
export const moderated = event({
  name: 'v3.chat.moderate',
  socket: 'room',
  from: 'server',
  shape: z.object({
    /** Sequence number in the log of the room: the same action is sent with and without the name. */
    id: z.int(),
    type: z.enum(RESTRICTIONS),
    action: z.enum(['add', 'remove']),
    /** Null for viewers who may not know it. */
    username: z.string().nullable(),
    display_name: z.string().nullable(),
    /** Ids of the removed messages; at most as many as the history holds. */
    removed: z.array(z.int()),
  }),
  description: 'Somebody was banned, kicked, silenced or made a moderator, or that was undone. Sent to '
    + 'everybody in the room without the name, with it to the subject, the performer, moderators and '
    + 'admins. Ban and silence remove the messages.',
  requirements: ['B-362'],
});
export const messagesRemoved = event({
  name: 'v3.chat.removed',
  socket: 'room',
  from: 'server',
  shape: z.object({ ids: z.array(z.int()) }),
  description: 'Messages were removed. Without ids it only fills a sequence number of the log that is not '
    + 'for this viewer.',
});
export const chatBanned = event({
  name: 'v3.chat.banned',
  socket: 'room',
  from: 'server',
  closes: 'refused',
  shape: z.object({ room: z.string(), reason: z.string().nullable(), until: z.string().nullable() }),
  description: 'This viewer is banned from the room. `reason` is shown to them; `until` is null for a '
    + 'permanent ban. The socket closes.',
  requirements: ['B-358'],
});
export const chatKicked = event({
  name: 'v3.chat.kicked',
  socket: 'room',
  from: 'server',
  closes: 'refused',
  shape: z.object({ room: z.string(), reason: z.string().nullable(), until: z.string() }),
  description: 'This viewer was kicked and may return after `until`. The socket closes.',
  requirements: ['B-359'],
});

/** Somebody was moderated in a room; subscribers read the current state. */
export const personModerated = fact({
  name: 'rooms.personModerated',
  shape: z.object({
    performerId: z.int(),
    type: z.enum(RESTRICTIONS),
    action: z.enum(['add', 'remove']),
    /** Null for a guest. */
    personId: z.int().nullable(),
    byId: z.int().nullable(),
  }),
  description: 'Somebody was banned, kicked, silenced or made a moderator, or that was undone.',
});
