import type { Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import { roomParts } from '../rooms/extension-points.ts';
import { partSource } from '../rooms/server.ts';
import { messagingPart } from './contract.ts';

/** Friends and follows: nobody has any yet. */
export const messagingSlice = (): Slice<null> => ({
  name: 'messaging',
  service: null,
  extensions: [
    implement(roomParts, partSource({ part: messagingPart, load: async () => messagingPart.empty })),
  ],
});
