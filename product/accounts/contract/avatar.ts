import { call, type RateLimit } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { AVATAR_KEY, AVATAR_SIZES } from '../rules/avatar.ts';

const slice = 'accounts';

/** Why a file is refused as a picture, by the names of `platform/images`. */
export const PICTURE_REFUSALS = {
  not_picture: refusal({
    slice,
    code: 'picture_not_image',
    kind: 'invalid',
    description: 'The file is no image.',
  }),
  other_type: refusal({
    slice,
    code: 'picture_type',
    kind: 'invalid',
    description: 'The image is no PNG, JPEG, WebP or GIF. The content decides, whatever name and type say.',
  }),
  too_large: refusal({
    slice,
    code: 'picture_too_large',
    kind: 'invalid',
    description: 'More than 12 MB, or more than 40 million pixels.',
  }),
  unreadable: refusal({
    slice,
    code: 'picture_unreadable',
    kind: 'invalid',
    description: 'The image is damaged or incomplete.',
  }),
  busy: refusal({
    slice,
    code: 'pictures_busy',
    kind: 'limited',
    description: 'Too many pictures are made at this moment.',
  }),
} as const;
export const PICTURE_FAULTS = [
  PICTURE_REFUSALS.not_picture,
  PICTURE_REFUSALS.other_type,
  PICTURE_REFUSALS.too_large,
  PICTURE_REFUSALS.unreadable,
  PICTURE_REFUSALS.busy,
] as const;

/** The size of a form with a picture of 12 MB. */
export const UPLOAD_LIMIT_BYTES = 12 * 1024 * 1024 + 4_096;
/** Decoding takes a second of one core: enough for a person's few tries, too little for a loop. */
export const UPLOAD_LIMIT: RateLimit = { points: 20, seconds: 300, per: 'caller' };

export const uploadAvatar = call({
  name: 'accounts.uploadAvatar',
  method: 'POST',
  path: '/avatar/upload',
  access: 'member',
  credential: 'cookie',
  upload: true,
  bodyLimitBytes: UPLOAD_LIMIT_BYTES,
  limit: UPLOAD_LIMIT,
  input: z.object({}),
  output: z.object({
    status: z.literal(1),
    /** Address of the new avatar. */
    user: z.object({ avatar: z.string() }),
    message: z.string(),
  }),
  refusals: PICTURE_FAULTS,
  summary: 'Change the own avatar',
  description: 'One PNG, JPEG, WebP or GIF, at most 12 MB and 40 megapixels. Its first frame is cut to a '
    + 'square and encoded again, so that nothing else of the file is stored. It replaces the one before, and '
    + 'every open tab receives `v3.user.changed`.',
  requirements: ['A-349'],
});

export const removeAvatar = call({
  name: 'accounts.removeAvatar',
  method: 'POST',
  path: '/avatar/remove',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1), user: z.object({ avatar: z.null() }), message: z.string() }),
  refusals: [],
  summary: 'Remove the own avatar',
  description: 'Others see the first letter of the name again. Without an avatar it does nothing.',
});

export const avatarUnknown = refusal({
  slice,
  code: 'avatar_unknown',
  kind: 'absent',
  description: 'No such avatar, or not for this viewer.',
});
const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
export const getAvatar = call({
  name: 'accounts.getAvatar',
  method: 'GET',
  path: '/avatars/:key',
  root: true,
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  // Lists show a hundred of them at once.
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({
    key: z.string().regex(AVATAR_KEY),
    px: z.literal(AVATAR_SIZES).optional(),
    body: z.string().max(0).optional(),
  }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [avatarUnknown],
  summary: 'An avatar',
  description: 'WebP, a square of `px` pixels a side, 100 unless said. Its address has a random key that '
    + 'changes with it. Of performers for whom they may be shown to, of others behind the entry gate; one’s '
    + 'own always.',
});
