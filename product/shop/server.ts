import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { roomParts } from '#product/rooms/extension-points.ts';
import { partSource } from '#product/rooms/server.ts';
import { shopPart } from './contract.ts';

/** Pictures and videos of performers: none are for sale yet. */
export const shopSlice = (): Slice<null> => ({
  name: 'shop',
  service: null,
  extensions: [
    implement(roomParts, partSource({ part: shopPart, load: async () => shopPart.empty })),
  ],
});
