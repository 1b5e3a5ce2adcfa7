import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { aboutBlocked } from '#product/accounts/contract.ts';
import { PICTURE_FAULTS, UPLOAD_LIMIT, UPLOAD_LIMIT_BYTES } from '#product/accounts/contract/avatar.ts';
import { PLAIN_LINE } from '#product/accounts/rules.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { z } from 'zod';
import { MAX_CAPTION_LENGTH, MAX_PICTURES, PICTURE_KEY } from '../rules/pictures.ts';

const slice = 'performers';

/** A picture on the page of a performer. */
export const ProfilePicture = z.object({
  id: z.int(),
  /** Addresses of the whole picture and of its square thumbnail. */
  url: z.string(),
  thumbUrl: z.string(),
  /** Of the whole picture, in pixels. */
  width: z.int(),
  height: z.int(),
  /** Plain text; empty for none. */
  caption: z.string(),
});
export type ProfilePictureView = z.infer<typeof ProfilePicture>;
const output = z.object({ pictures: z.array(ProfilePicture) });

export const picturesFull = refusal({
  slice,
  code: 'pictures_full',
  kind: 'conflict',
  description: `A performer has at most ${MAX_PICTURES}.`,
});
export const pictureUnknown = refusal({
  slice,
  code: 'picture_unknown',
  kind: 'absent',
  description: 'No such picture, or not for this viewer.',
});

export const listPictures = call({
  name: 'performers.listPictures',
  method: 'GET',
  path: '/performers/pictures',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output,
  refusals: [],
  summary: 'The pictures on the caller’s page',
  description: 'In their order.',
});

export const uploadPicture = call({
  name: 'performers.uploadPicture',
  method: 'POST',
  path: '/performers/pictures/upload',
  access: 'performer',
  credential: 'cookie',
  upload: true,
  bodyLimitBytes: UPLOAD_LIMIT_BYTES,
  limit: { ...UPLOAD_LIMIT, points: 2 * MAX_PICTURES },
  input: z.object({}),
  output,
  refusals: [...PICTURE_FAULTS, clearanceMissing, picturesFull],
  summary: 'Add a picture to the caller’s page',
  description: 'One PNG, JPEG, WebP or GIF, encoded again like an avatar, at most 1,600 pixels a side. It '
    + 'stands last, and is shown at once to whom the performer may be shown. Needs a valid clearance.',
});

export const savePictures = call({
  name: 'performers.savePictures',
  method: 'POST',
  path: '/performers/pictures',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    pictures: z.array(z.object({
      id: z.int().positive(),
      caption: z.string().trim().max(MAX_CAPTION_LENGTH).regex(PLAIN_LINE),
    })).max(MAX_PICTURES),
  }),
  output,
  refusals: [pictureUnknown, aboutBlocked],
  summary: 'Order, caption and remove the caller’s pictures',
  description: 'The whole list in its new order. Pictures left out are deleted with their files.',
});

const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
export const getPicture = call({
  name: 'performers.getPicture',
  method: 'GET',
  path: '/profile/:key',
  root: true,
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({
    key: z.string().regex(PICTURE_KEY),
    size: z.enum(['thumb']).optional(),
    body: z.string().max(0).optional(),
  }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [pictureUnknown],
  summary: 'A picture of a performer',
  description: 'WebP, only to viewers who may see the performer.',
});
