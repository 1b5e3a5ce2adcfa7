import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { UPLOAD_PART_BYTES } from '../rules/upload.ts';

export const checkUpload = call({
  name: 'broadcast.checkUpload',
  method: 'POST',
  path: '/broadcast/upload_check',
  access: 'performer',
  credential: 'cookie',
  bodyLimitBytes: UPLOAD_PART_BYTES + 1_024,
  // A check has 25 parts at most.
  limit: { points: 100, seconds: 60, per: 'caller' },
  input: z.object({ data: z.string().max(UPLOAD_PART_BYTES) }),
  output: z.object({ bytes: z.int() }),
  refusals: [],
  summary: 'Receive a part of an upload check',
  description: 'Counts what arrives and stores none of it; the page measures the time.',
});
