import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomParts } from '../rooms/extension-points.ts';
import { partSource } from '../rooms/server.ts';
import { fanclubsPart } from './contract.ts';

/** Fan clubs of performers: nobody is a member of one yet. */
export const fanclubsSlice = (): Slice<null> => ({
  name: 'fanclubs',
  service: null,
  extensions: [
    implement(roomParts, partSource({ part: fanclubsPart, load: async () => fanclubsPart.empty })),
  ],
});
