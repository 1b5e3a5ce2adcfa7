import { z } from 'zod';
import { roomPart } from '../rooms/rules/room-part.ts';

/** What the viewer of a room is in its performer's fan club. */
export const fanclubsPart = roomPart({
  key: 'fanclubs',
  shape: z.object({
    auth: z.object({ fanclub: z.object({ membershipLevel: z.string().nullable() }) }),
  }),
  empty: { auth: { fanclub: { membershipLevel: null } } },
});
