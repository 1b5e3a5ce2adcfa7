import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { ChatMessage } from '#product/rooms/contract.ts';
import { z } from 'zod';

export const saidUnknown = refusal({
  slice: 'shows',
  code: 'said_unknown',
  kind: 'absent',
  description: 'There is no such show whose chat the caller read.',
});

export const getSaid = call({
  name: 'shows.getSaid',
  method: 'GET',
  path: '/shows/said/:kind/:show',
  access: 'member',
  credential: 'cookie',
  input: z.object({ kind: z.enum(['private', 'ticket']), show: z.int().min(0) }),
  output: z.object({
    /** The key of the chat, used as `within` of a report. */
    key: z.string(),
    /** Username and display name of the performer. */
    broadcaster: z.string(),
    display_name: z.string(),
    /** Oldest first; empty when no message is stored any longer. */
    messages: z.array(ChatMessage),
  }),
  refusals: [saidUnknown],
  limit: { points: 120, seconds: 60, per: 'caller' },
  summary: 'What was said in a show',
  description: 'What the caller read in the chat of a show that runs or is over, for a day, so that they can '
    + 'report it: its performer and the viewer of a private show all of it, holders of tickets until theirs '
    + 'came back, spies what was said while they read along.',
});
