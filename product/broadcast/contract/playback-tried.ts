import { fact } from '#platform/contract/fact.ts';
import { z } from 'zod';

export const playbackTried = fact({
  name: 'broadcast.playbackTried',
  shape: z.object({
    performerId: z.int(),
    personId: z.int(),
    region: z.string(),
    isServed: z.boolean(),
    isFull: z.boolean(),
  }),
  description: 'Somebody with an account watches a `limited` stream from another region, or may not there; '
    + '`isServed`: they were given the picture there; `isFull`: there was no capacity for them.',
});
