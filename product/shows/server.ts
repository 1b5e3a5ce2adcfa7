import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomParts } from '../rooms/extension-points.ts';
import { partSource } from '../rooms/server.ts';
import { showsPart } from './contract.ts';

/** Paid shows: none can be started yet. */
export const showsSlice = (): Slice<null> => ({
  name: 'shows',
  service: null,
  extensions: [
    implement(roomParts, partSource({ part: showsPart, load: async () => showsPart.empty })),
  ],
});
