import { event } from '#platform/contract/event.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';

/** Games and toys of a room: installed apps, scratch-off, versus, king of the hill. */
export const roomAppsPart = roomPart({
  key: 'room-apps',
  shape: z.object({
    chat: z.object({ installedAppId: z.int().nullable(), installedModuleIdList: z.array(z.int()) }),
    scratchoff: z.object({ data: z.unknown(), prize: z.unknown() }).nullable(),
    versus: z.object({ username: z.string() }).nullable(),
    koth: z.unknown(),
    versusTournament: z.unknown(),
  }),
  empty: {
    chat: { installedAppId: null, installedModuleIdList: [] },
    scratchoff: null,
    versus: null,
    koth: null,
    versusTournament: null,
  },
  updateShape: z.object({ module_ids: z.array(z.int()), app_ids: z.array(z.int()) }),
  emptyUpdate: { module_ids: [], app_ids: [] },
});

export const appsChanged = event({
  name: 'v3.chat.app_changed_relayed',
  socket: 'room',
  from: 'server',
  shape: z.object({ app_ids: z.array(z.int()), module_ids: z.array(z.int()) }),
  description: 'The installed apps or the modules of the room changed. A module is a running tool of the '
    + 'performer, by its session-type code: tip goal 1, tip menu 57, recording 102.',
  requirements: ['B-366', 'C-416', 'C-417'],
});
