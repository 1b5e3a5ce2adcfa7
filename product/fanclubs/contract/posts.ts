import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { PICTURE_FAULTS, UPLOAD_LIMIT, UPLOAD_LIMIT_BYTES } from '#product/accounts/contract/avatar.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { clubClosed } from '../contract.ts';
import {
  MAX_POST_LENGTH,
  MAX_POSTS,
  POST_AUDIENCES,
  POST_CHANGES,
  POST_PICTURE_KEY,
  POSTS_AN_HOUR,
  POSTS_PAGE,
} from '../rules/posts.ts';

const slice = 'fanclubs';
export const postUnknown = refusal({
  slice,
  code: 'post_unknown',
  kind: 'absent',
  description: 'The caller has no such post.',
});
export const postEmpty = refusal({
  slice,
  code: 'post_empty',
  kind: 'invalid',
  description: 'Nothing of the text is left once it is cleaned.',
});
export const postBlocked = refusal({
  slice,
  code: 'post_blocked',
  kind: 'invalid',
  description: 'The text has a word that the operator blocked.',
});
export const postsFull = refusal({
  slice,
  code: 'posts_full',
  kind: 'conflict',
  description: `A performer has at most ${MAX_POSTS} posts.`,
});
export const postPictureUnknown = refusal({
  slice,
  code: 'post_picture_unknown',
  kind: 'absent',
  description: 'No such picture, or not for this viewer.',
});

const Audience = z.enum(POST_AUDIENCES);
/** A post as one viewer sees it. */
const Post = z.object({
  id: z.int(),
  /** ISO 8601. `changed_at` is when its text or audience was last changed; null for never. */
  at: z.string(),
  changed_at: z.string().nullable(),
  audience: Audience,
  is_pinned: z.boolean(),
  /** The post is for members from the level `audience` up, and this viewer is not one. */
  is_locked: z.boolean(),
  /** Plain text in lines; null while locked. */
  body: z.string().nullable(),
  has_picture: z.boolean(),
  /** Null without a picture, and while locked. */
  picture: z.object({ url: z.string(), width: z.int(), height: z.int() }).nullable(),
});
export type PostView = z.infer<typeof Post>;

export const listPosts = call({
  name: 'fanclubs.listPosts',
  method: 'GET',
  path: '/fanclubs/:username/posts',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(64), before: z.int().positive().optional() }),
  output: z.object({
    /** The post shown first, on the first page only; it is not repeated in `posts`. */
    pinned: Post.nullable(),
    posts: z.array(Post).max(POSTS_PAGE),
    next: z.int().nullable(),
  }),
  refusals: [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked],
  limit: { points: 300, seconds: 60, per: 'caller' },
  summary: 'Posts of a fan club',
  description: 'Newest first; `next` goes into `before` for the page after. What the caller\'s level does '
    + 'not reach comes without text and picture. A club that is closed has posts for its members alone.',
});

const Text = z.string().max(MAX_POST_LENGTH);
const output = z.object({ post: Post });
export const publishPost = call({
  name: 'fanclubs.publishPost',
  method: 'POST',
  path: '/fanclubs/club/posts',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ body: Text, audience: Audience }),
  output,
  refusals: [clubClosed, clearanceMissing, postEmpty, postBlocked, postsFull],
  limit: { points: POSTS_AN_HOUR, seconds: 3_600, per: 'caller' },
  summary: 'Publish a post in the own fan club',
  description: 'Plain text for everybody, or for members from a level on. Those members are notified once. '
    + 'Needs an open club and a valid clearance.',
});
export const editPost = call({
  name: 'fanclubs.editPost',
  method: 'POST',
  path: '/fanclubs/club/posts/:id',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive(), body: Text, audience: Audience }),
  output,
  refusals: [postUnknown, postEmpty, postBlocked, clearanceMissing],
  limit: { points: 30, seconds: 1_800, per: 'caller' },
  summary: 'Change a post of the own fan club',
  description: 'Its text and its audience. Members who can read it only now are notified of it. Needs a '
    + 'valid clearance.',
});
export const deletePost = call({
  name: 'fanclubs.deletePost',
  method: 'DELETE',
  path: '/fanclubs/club/posts/:id',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output: z.object({ status: z.literal(1) }),
  refusals: [postUnknown],
  limit: { points: 60, seconds: 1_800, per: 'caller' },
  summary: 'Delete a post of the own fan club',
  description: 'With its picture. It does not come back.',
});
export const pinPost = call({
  name: 'fanclubs.pinPost',
  method: 'POST',
  path: '/fanclubs/club/posts/:id/pin',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive(), pinned: z.boolean() }),
  output,
  refusals: [postUnknown],
  limit: { points: 30, seconds: 1_800, per: 'caller' },
  summary: 'Put a post of the own fan club first',
  description: 'One post is pinned at most: pinning another unpins it.',
});

export const uploadPostPicture = call({
  name: 'fanclubs.uploadPostPicture',
  method: 'POST',
  path: '/fanclubs/club/posts/:id/picture',
  access: 'performer',
  credential: 'cookie',
  upload: true,
  bodyLimitBytes: UPLOAD_LIMIT_BYTES,
  limit: UPLOAD_LIMIT,
  input: z.object({ id: z.int().positive() }),
  output,
  refusals: [...PICTURE_FAULTS, postUnknown, clearanceMissing],
  summary: 'Give a post its picture',
  description: 'One PNG, JPEG, WebP or GIF, encoded again like an avatar, at most 1,600 pixels a side. It '
    + 'replaces the one before, and is for the audience of the post. Needs a valid clearance.',
});
export const removePostPicture = call({
  name: 'fanclubs.removePostPicture',
  method: 'DELETE',
  path: '/fanclubs/club/posts/:id/picture',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ id: z.int().positive() }),
  output,
  refusals: [postUnknown],
  summary: 'Remove the picture of a post',
  description: 'With its bytes. A post without one stays as it is.',
});

const Bytes = z.custom<Uint8Array>((body) => body instanceof Uint8Array);
export const getPostPicture = call({
  name: 'fanclubs.getPostPicture',
  method: 'GET',
  path: '/fan-posts/:key',
  root: true,
  access: 'anyone',
  credential: 'cookie',
  media: { accepts: 'image/webp', answers: 'image/webp' },
  limit: { points: 2_000, seconds: 60, per: 'caller' },
  input: z.object({ key: z.string().regex(POST_PICTURE_KEY), body: z.string().max(0).optional() }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: Bytes }),
  refusals: [postPictureUnknown],
  summary: 'The picture of a post',
  description: 'WebP, for who reads the post.',
});

/** What is sent and published about a post: never its text. */
const changeShape = { change: z.enum(POST_CHANGES), audience: Audience };
export const fanPost = event({
  name: 'v3.fans.post',
  socket: 'both',
  from: 'server',
  shape: z.object({ username: z.string(), id: z.int(), ...changeShape }),
  description: 'A post of the fan club of `username` was published, changed or removed: to everybody in the '
    + 'room, and to the performer, members and followers on whatever page. It has the id and whom the post '
    + 'is for, and no text: pages read that as far as their viewer may.',
  requirements: ['C-338'],
});
export const postChanged = fact({
  name: 'fanclubs.postChanged',
  shape: z.object({
    performerId: z.int(),
    username: z.string(),
    postId: z.int(),
    ...changeShape,
    /** Whether the club can be joined; posts of a closed club are for its members only. */
    isOpen: z.boolean(),
    /** When the post was published. */
    postedAt: z.string(),
  }),
  description: 'A post of a fan club was published, changed or removed. Subscribers read it now.',
});
