import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import { storeBlobs, storedRemoval } from '#platform/data/blobs.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import type { PictureFault, PictureSize } from '#platform/images/pictures.ts';
import { PICTURE_REFUSALS } from '#product/accounts/contract/avatar.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { postUnknown, uploadPostPicture } from '../../contract/posts.ts';
import { POST_PICTURE_PX, POST_PICTURE_REMOVAL } from '../../rules/posts.ts';
import { findPost, updatePost, type StoredPost } from '../../store/posts.ts';
import type { PostDependencies } from '../dependencies.ts';
import { postNews } from './news.ts';
import { postView } from './views.ts';
import { dropPicture, lockOwn } from './writing.ts';

const SIZES: readonly PictureSize[] = [{ width: POST_PICTURE_PX, height: POST_PICTURE_PX, fit: 'inside' }];

export const uploadHandler = (deps: PostDependencies): CallHandler =>
  handleCall(uploadPostPicture)(async ({ id }, { scope, personId, file, refuse }) => {
    const made = await addPicture(deps, scope, { performerId: personId, id }, file as Uint8Array);
    if (typeof made === 'string') {
      return refuse(PICTURE_REFUSALS[made], made === 'busy' ? { retryAfterSeconds: 10 } : {});
    }
    return 'code' in made ? refuse(made) : { post: postView(made, 'performer') };
  });

/** Gives a post its picture, replacing the previous one, or returns a refusal. */
async function addPicture(
  deps: PostDependencies,
  scope: OperatorScope,
  { performerId, id }: Pick<StoredPost, 'performerId' | 'id'>,
  bytes: Uint8Array,
): Promise<StoredPost | PictureFault | typeof postUnknown | typeof clearanceMissing> {
  const { data, blobs, pictures, compliance } = deps;
  // Decoding is expensive, so ownership is checked first.
  const isOwn = await data.tx(scope, async (tx) => (await findPost(tx, id))?.performerId === performerId);
  if (!isOwn) return postUnknown;
  const made = await pictures.make(bytes, SIZES);
  if (typeof made === 'string') return made;
  const { width = 0, height = 0 } = made[0] ?? {};
  return storeBlobs(blobs, made, ({ key, blobs: [blob = ''] }) =>
    data.tx(scope, async (tx) => {
      const before = await lockOwn(tx, performerId, id);
      if (!before) return postUnknown;
      const clearanceId = await compliance.clearanceOf(tx, performerId);
      if (clearanceId === null) return clearanceMissing;
      const post = await updatePost(tx, before, { picture: { key, blob, width, height, clearanceId } });
      await dropPicture(tx, before);
      await postNews(deps, tx, post, { change: 'changed' });
      return post;
    }), (outcome) => !('code' in outcome));
}

export const pictureDeadlines = (
  { blobs }: Pick<PostDependencies, 'blobs'>,
): DeadlineHandler[] => [storedRemoval(POST_PICTURE_REMOVAL, blobs)];
