import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import type { Reportable } from '#product/moderation/extension-points.ts';
import { refuseEntry } from '#product/rooms/server.ts';
import { getPostPicture, listPosts, postPictureUnknown } from '../../contract/posts.ts';
import { POSTS_PAGE } from '../../rules/posts.ts';
import { findClub, findLevels } from '../../store.ts';
import { findByPicture, findPinned, findPost, postsBefore } from '../../store/posts.ts';
import type { PostDependencies } from '../dependencies.ts';
import { mayRead, postView, type PostReader } from './views.ts';

/** The picture at an address never changes; who may see a public one is checked again after a day. */
const PUBLIC_PICTURE = 'private, max-age=86400, immutable';
/** A browser shared by several people must not store what one of them paid for. */
const MEMBERS_PICTURE = 'private, no-store';

export const readingHandlers = (
  deps: PostDependencies,
): CallHandler[] => [listHandler(deps), pictureHandler(deps)];

async function readerOf(tx: Tx, { personId }: Caller, performerId: number): Promise<PostReader> {
  if (personId === performerId) return 'performer';
  const levels = personId === null ? null : await findLevels(tx, [personId], performerId);
  return { level: personId === null ? null : levels?.get(personId) ?? null };
}

/** Who sees posts of a club now: for a closed club its performer, and the members, who have paid. */
const seesPosts = (reader: PostReader, club: { readonly enabled: boolean }): boolean =>
  club.enabled || reader === 'performer' || reader.level !== null;

/** A post as something that a person can report: what they can read of it. */
export const reportablePost: Reportable = {
  kind: 'post',
  find: async (tx, { caller }, { performer, id }) => {
    const post = await findPost(tx, id);
    if (post?.performerId !== performer.id) return null;
    const reader = await readerOf(tx, caller, performer.id);
    return seesPosts(reader, await findClub(tx, performer.id)) && mayRead(reader, post)
      ? { text: post.body, picture: post.picture?.blob ?? null }
      : null;
  },
};

function listHandler({ data, rooms }: PostDependencies): CallHandler {
  return handleCall(listPosts)(async ({ username, before }, context) =>
    data.tx(context.scope, async (tx) => {
      const entry = await rooms.enter(tx, context, username);
      if ('refused' in entry) return refuseEntry(context, entry.refused);
      const { owner: { id } } = entry;
      const reader = await readerOf(tx, context.caller, id);
      if (!seesPosts(reader, await findClub(tx, id))) return { pinned: null, posts: [], next: null };
      const pinned = before === undefined ? await findPinned(tx, id) : null;
      const found = await postsBefore(tx, id, before);
      const { page, next } = pageOf(found, POSTS_PAGE);
      return {
        pinned: pinned && postView(pinned, reader),
        posts: page.map((post) => postView(post, reader)),
        next,
      };
    })
  );
}

/** The bytes of a picture, if its post's rule allows it. The response does not reveal why not. */
function pictureHandler({ data, accounts, blobs, rooms }: PostDependencies): CallHandler {
  return handleCall(getPostPicture)(async ({ key }, context) => {
    const post = await data.tx(context.scope, async (tx) => {
      const found = await findByPicture(tx, key);
      const performer = found && await accounts.findById(tx, found.performerId);
      if (!found || !performer) return null;
      const entry = await rooms.enter(tx, context, performer.username);
      if ('refused' in entry) return null;
      const reader = await readerOf(tx, context.caller, performer.id);
      return seesPosts(reader, await findClub(tx, performer.id)) && mayRead(reader, found) ? found : null;
    });
    const body = post?.picture ? await blobs.get(post.picture.blob) : null;
    if (!post || !body) return context.refuse(postPictureUnknown);
    const cache = post.audience === 'everyone' ? PUBLIC_PICTURE : MEMBERS_PICTURE;
    return { status: 200 as const, headers: { 'cache-control': cache }, body };
  });
}
