import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import {
  removeStored,
  storeBlobs,
  storedRemoval,
  type Blobs,
  type StoredBlobs,
} from '#platform/data/blobs.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { Pictures, PictureSize } from '#platform/images/pictures.ts';
import {
  avatarUnknown,
  getAvatar,
  PICTURE_REFUSALS,
  removeAvatar,
  uploadAvatar,
} from '../contract/avatar.ts';
import { accountChanged } from '../contract/life/username.ts';
import { avatarAccess } from '../extension-points.ts';
import { AVATAR_SIZES, avatarAddress, USUAL_PX } from '../rules/avatar.ts';
import { findById } from '../store.ts';
import { AVATAR_REMOVAL, findAvatar, replaceAvatar } from '../store/avatars.ts';
import { lockCaller } from './credentials/ways-in.ts';
import { publishChange } from './person-changes.ts';

export interface AvatarParts {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  readonly pictures: Pictures;
  readonly text: (locale: string, key: string) => string;
}

const SIZES: readonly PictureSize[] = AVATAR_SIZES.map((px) => ({ width: px, height: px, fit: 'cover' }));
/** A URL never shows another picture. Access is checked again after a day. */
const CACHE_CONTROL = 'private, max-age=86400, immutable';

/** Calls that change the caller's avatar and show anybody's. */
export function avatarHandlers(parts: AvatarParts): CallHandler[] {
  const { data, blobs, pictures, text } = parts;
  return [
    handleCall(uploadAvatar)(async (_input, context) => {
      const made = await pictures.make(context.file as Uint8Array, SIZES);
      if (typeof made === 'string') {
        return context.refuse(PICTURE_REFUSALS[made], made === 'busy' ? { retryAfterSeconds: 10 } : {});
      }
      const key = await storeBlobs(blobs, made, async (stored) => {
        await data.tx(context.scope, (tx) => change(tx, context, stored));
        return stored.key;
      });
      const message = text(context.locale, 'accounts:avatar.saved');
      return { status: 1 as const, user: { avatar: avatarAddress(key) }, message };
    }),
    handleCall(removeAvatar)(async (_input, context) => {
      await data.tx(context.scope, (tx) => change(tx, context, null));
      const message = text(context.locale, 'accounts:avatar.removed');
      return { status: 1 as const, user: { avatar: null }, message };
    }),
    readHandler(parts),
  ];
}

/** Changes only the caller's own avatar: no input names an owner. */
async function change(tx: Tx, context: PersonContext, next: StoredBlobs | null): Promise<void> {
  const person = await lockCaller(tx, context);
  const avatar = next && avatarAddress(next.key);
  const before = await replaceAvatar(tx, person.id, next, avatar);
  if (before) await removeStored(tx, AVATAR_REMOVAL, before);
  await publishChange(tx, person);
  await tx.send(personChannel(person.id), accountChanged, {});
}

function readHandler({ data, extensions, blobs }: AvatarParts): CallHandler {
  return handleCall(getAvatar)(async ({ key, px = USUAL_PX }, context) => {
    const id = await data.tx(context.scope, async (tx) => {
      const avatar = await findAvatar(tx, key);
      const person = avatar && await findById(tx, avatar.personId);
      if (!person || !await extensions.one(avatarAccess)(tx, context, person)) return null;
      return avatar.blobs[AVATAR_SIZES.indexOf(px)] ?? null;
    });
    const body = id === null ? null : await blobs.get(id);
    if (!body) return context.refuse(avatarUnknown);
    return { status: 200 as const, headers: { 'cache-control': CACHE_CONTROL }, body };
  });
}

export const avatarDeadlines = (
  { blobs }: Pick<AvatarParts, 'blobs'>,
): DeadlineHandler[] => [storedRemoval(AVATAR_REMOVAL, blobs)];
