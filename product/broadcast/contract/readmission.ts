import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { NOT_ADMITTED } from './admission.ts';
import { alreadyLive } from './settings.ts';

export const readmitEncoder = call({
  name: 'broadcast.readmitEncoder',
  method: 'POST',
  path: '/broadcast/encoder',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [...NOT_ADMITTED, alreadyLive],
  limit: { points: 10, seconds: 600, per: 'caller' },
  summary: 'Let the own encoder back on',
  description: 'After a broadcast was ended, its encoder is refused for as long as it keeps trying '
    + '(`encoder_ended`). From this call on it is admitted again: one that still tries is on air at its next '
    + 'try. Nothing changes where none was refused.',
});
