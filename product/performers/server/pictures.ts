import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import { removeStored, storeBlobs, storedRemoval, type Blobs } from '#platform/data/blobs.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import type { PictureFault, Pictures, PictureSize } from '#platform/images/pictures.ts';
import { cleanText } from '#platform/text/clean-text.ts';
import { aboutBlocked } from '#product/accounts/contract.ts';
import { PICTURE_REFUSALS } from '#product/accounts/contract/avatar.ts';
import { blockedWords } from '#product/accounts/extension-points.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import {
  getPicture,
  listPictures,
  picturesFull,
  pictureUnknown,
  savePictures,
  uploadPicture,
  type ProfilePictureView,
} from '../contract/pictures.ts';
import { MAX_PICTURES, PICTURE_PX, PICTURE_REMOVAL, THUMB_PX } from '../rules/pictures.ts';
import { lockListing } from '../store.ts';
import {
  deletePictures,
  findPicture,
  findPictures,
  insertPicture,
  updatePicture,
  type StoredPicture,
} from '../store/pictures.ts';

export interface PictureParts {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  readonly pictures: Pictures;
  readonly compliance: ComplianceService;
}

const SIZES: readonly PictureSize[] = [
  { width: PICTURE_PX, height: PICTURE_PX, fit: 'inside' },
  { width: THUMB_PX, height: THUMB_PX, fit: 'cover' },
];
/** A picture's address never changes its content. Permission to see it is checked again after a day. */
const CACHE_CONTROL = 'private, max-age=86400, immutable';

/** The pictures of a performer's page, in their order. */
export const picturesOf = async (tx: Tx, performerId: number): Promise<ProfilePictureView[]> =>
  (await findPictures(tx, performerId)).map(({ id, key, width, height, caption }) => ({
    id,
    url: `/profile/${key}`,
    thumbUrl: `/profile/${key}?size=thumb`,
    width,
    height,
    caption,
  }));

/** See `PerformersService.reportedPicture`. */
export async function reportedPicture(tx: Tx, performerId: number, id: number) {
  const found = (await findPictures(tx, performerId)).find((item) => item.id === id);
  const picture = found?.blobs[0];
  return found && picture !== undefined ? { text: found.caption, picture } : null;
}

export function pictureHandlers(parts: PictureParts): CallHandler[] {
  const { data, extensions } = parts;
  return [
    handleCall(listPictures)(async (_input, { scope, personId }) => ({
      pictures: await data.tx(scope, (tx) => picturesOf(tx, personId)),
    })),
    uploadHandler(parts),
    handleCall(savePictures)(async ({ pictures }, context) => {
      const wanted = pictures.map(({ id, caption }) => ({ id, caption: cleanText(caption) }));
      const performerId = context.personId;
      return data.tx(context.scope, async (tx) => {
        await lockListing(tx, performerId);
        const known = new Map((await findPictures(tx, performerId)).map((picture) => [picture.id, picture]));
        const ids = new Set(wanted.map(({ id }) => id));
        if (ids.size < wanted.length || wanted.some(({ id }) => !known.has(id))) {
          return context.refuse(pictureUnknown);
        }
        const words = wanted.map(({ caption }) => caption).join('\n');
        if (await extensions.one(blockedWords)(tx, words)) return context.refuse(aboutBlocked);
        for (const [position, { id, caption }] of wanted.entries()) {
          await updatePicture(tx, id, { position, caption });
        }
        await remove(tx, [...known.values()].filter(({ id }) => !ids.has(id)));
        return { pictures: await picturesOf(tx, performerId) };
      });
    }),
    readHandler(parts),
  ];
}

/** Removes rows now, and bytes after the unit of work. */
async function remove(tx: Tx, gone: readonly StoredPicture[]): Promise<void> {
  if (gone.length === 0) return;
  await deletePictures(tx, gone.map(({ id }) => id));
  for (const picture of gone) await removeStored(tx, PICTURE_REMOVAL, picture);
}

function uploadHandler(parts: PictureParts): CallHandler {
  return handleCall(uploadPicture)(async (_input, { scope, personId, file, refuse }) => {
    const added = await addPicture(parts, scope, personId, file as Uint8Array);
    if (typeof added === 'string') {
      return refuse(PICTURE_REFUSALS[added], added === 'busy' ? { retryAfterSeconds: 10 } : {});
    }
    return 'code' in added ? refuse(added) : { pictures: [...added] };
  });
}

/** Appends a picture; returns all of them, or the refusal. */
export async function addPicture(
  { data, blobs, pictures, compliance }: PictureParts,
  scope: OperatorScope,
  performerId: number,
  bytes: Uint8Array,
): Promise<readonly ProfilePictureView[] | PictureFault | typeof clearanceMissing | typeof picturesFull> {
  const made = await pictures.make(bytes, SIZES);
  if (typeof made === 'string') return made;
  const { width = 0, height = 0 } = made[0] ?? {};
  return storeBlobs(blobs, made, (stored) =>
    data.tx(scope, async (tx) => {
      // The lock prevents two concurrent uploads from exceeding the limit together.
      await lockListing(tx, performerId);
      const clearanceId = await compliance.clearanceOf(tx, performerId);
      if (clearanceId === null) return clearanceMissing;
      const count = (await findPictures(tx, performerId)).length;
      if (count >= MAX_PICTURES) return picturesFull;
      await insertPicture(tx, { performerId, clearanceId, ...stored, width, height }, count);
      return picturesOf(tx, performerId);
    }), (outcome) => !('code' in outcome));
}

function readHandler({ data, blobs, compliance }: PictureParts): CallHandler {
  return handleCall(getPicture)(async ({ key, size }, context) => {
    const picture = await data.tx(context.scope, async (tx) => {
      const found = await findPicture(tx, key);
      const isShown = found !== null
        && await compliance.mayPerceive(tx, compliance.viewerOf(context), found.performerId, 'media');
      return isShown ? found : null;
    });
    const id = picture?.blobs[size === 'thumb' ? 1 : 0];
    const body = id === undefined ? null : await blobs.get(id);
    if (!body) return context.refuse(pictureUnknown);
    return { status: 200 as const, headers: { 'cache-control': CACHE_CONTROL }, body };
  });
}

export const pictureDeadlines = (
  { blobs }: Pick<PictureParts, 'blobs'>,
): DeadlineHandler[] => [storedRemoval(PICTURE_REMOVAL, blobs)];
