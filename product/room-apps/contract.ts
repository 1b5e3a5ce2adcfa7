import { z } from 'zod';
import { roomPart } from '../rooms/rules/room-part.ts';

/** Games and toys of a room: installed apps, scratch-off, versus, king of the hill. */
export const roomAppsPart = roomPart({
  key: 'room-apps',
  shape: z.object({
    chat: z.object({ installedAppId: z.int().nullable(), installedModuleIdList: z.array(z.int()) }),
    scratchoff: z.object({ data: z.unknown(), prize: z.unknown() }).nullable(),
    versus: z.object({ username: z.string() }).nullable(),
    koth: z.unknown(), versusTournament: z.unknown(),
  }),
  empty: {
    chat: { installedAppId: null, installedModuleIdList: [] },
    scratchoff: null, versus: null, koth: null, versusTournament: null,
  },
  updateShape: z.object({ module_ids: z.array(z.int()), app_ids: z.array(z.int()) }),
  emptyUpdate: { module_ids: [], app_ids: [] },
});
