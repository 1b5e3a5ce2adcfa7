import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { BytesAnswer, NoBody } from '../contract.ts';

const slice = 'broadcast';
export const pictureUnknown = refusal({
  slice,
  code: 'picture_unknown',
  kind: 'absent',
  description: 'No live picture of this performer now, or not for this viewer.',
});

export const portraitUnknown = refusal({
  slice,
  code: 'portrait_unknown',
  kind: 'absent',
  description: 'No such picture, or not for this viewer.',
});
export const getPortrait = call({
  name: 'broadcast.getPortrait',
  method: 'GET',
  path: '/portraits/:username',
  root: true,
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  // A listing shows 98 of them at once.
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({
    username: z.string().max(64),
    v: z.string().max(64).optional(),
    body: z.string().max(0).optional(),
  }),
  output: BytesAnswer,
  refusals: [portraitUnknown],
  summary: 'The still picture of a performer',
  description: 'WebP. `v` changes with the picture.',
});

const picture = {
  root: true,
  access: 'anyone',
  credential: 'cookie',
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({ username: z.string().max(64), v: z.string().max(64).optional(), body: NoBody }),
  output: BytesAnswer,
  refusals: [pictureUnknown],
} as const;
export const getThumbnail = call({
  ...picture,
  name: 'broadcast.getThumbnail',
  method: 'GET',
  path: '/thumbs/t/:username',
  media: { accepts: 'image/jpeg', answers: 'image/jpeg' },
  summary: 'The live picture of a performer',
  description: 'JPEG, at most 15 s old while the performer is live in public.',
});
export const getPreview = call({
  ...picture,
  name: 'broadcast.getPreview',
  method: 'GET',
  path: '/previews/:username',
  media: { accepts: 'video/mp4', answers: 'video/mp4' },
  summary: 'A short muted clip of a live performer',
  description: 'MP4 of 3 s, at most a minute old; the first request waits until it is made.',
});
