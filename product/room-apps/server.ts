import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomParts } from '../rooms/extension-points.ts';
import { partSource } from '../rooms/server.ts';
import { roomAppsPart } from './contract.ts';

/** Games and toys in the room: none can be installed yet. */
export const roomAppsSlice = (): Slice<null> => ({
  name: 'room-apps',
  service: null,
  extensions: [
    implement(roomParts, partSource({ part: roomAppsPart, load: async () => roomAppsPart.empty })),
  ],
});
