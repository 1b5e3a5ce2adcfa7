import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { removeStored } from '#platform/data/blobs.ts';
import type { Tx } from '#platform/data/data.ts';
import { cleanLines } from '#platform/text/clean-text.ts';
import { blockedWords } from '#product/accounts/extension-points.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { clubClosed } from '../../contract.ts';
import {
  deletePost,
  editPost,
  pinPost,
  postBlocked,
  postEmpty,
  postsFull,
  postUnknown,
  publishPost,
  removePostPicture,
} from '../../contract/posts.ts';
import {
  isWider,
  MAX_POST_LENGTH,
  MAX_POSTS,
  POST_PICTURE_REMOVAL,
  type PostAudience,
} from '../../rules/posts.ts';
import { findClub } from '../../store.ts';
import {
  countPosts,
  findPost,
  insertPost,
  lockPosts,
  removePost,
  unpinOthers,
  updatePost,
  type StoredPost,
} from '../../store/posts.ts';
import type { FanclubsDependencies } from '../dependencies.ts';
import { postNews } from './news.ts';
import { postView } from './views.ts';

/** What a performer writes for a post. */
export interface PostDraft {
  readonly body: string;
  readonly audience: PostAudience;
}
type TextRefusal = typeof postEmpty | typeof postBlocked;
type PublishRefusal = TextRefusal | typeof clubClosed | typeof clearanceMissing | typeof postsFull;

export function writingHandlers(deps: FanclubsDependencies): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(publishPost)(async (draft, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const made = await publish(deps, tx, personId, draft);
        return 'code' in made ? refuse(made) : { post: postView(made, 'performer') };
      })
    ),
    handleCall(editPost)(async ({ id, ...draft }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const before = await lockOwn(tx, personId, id);
        if (!before) return refuse(postUnknown);
        const clearanceId = await deps.compliance.clearanceOf(tx, before.performerId);
        if (clearanceId === null) return refuse(clearanceMissing);
        const body = await textOf(deps, tx, draft.body);
        if (typeof body !== 'string') return refuse(body);
        const { audience } = draft;
        if (body === before.body && audience === before.audience) {
          return { post: postView(before, 'performer') };
        }
        const post = await updatePost(tx, before, { body, audience, clearanceId, changedAt: tx.now });
        await postNews(deps, tx, post, {
          change: 'changed',
          notifies: isWider(before.audience, post.audience),
        });
        return { post: postView(post, 'performer') };
      })
    ),
    handleCall(pinPost)(async ({ id, pinned }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const before = await lockOwn(tx, personId, id);
        if (!before) return refuse(postUnknown);
        if (before.isPinned === pinned) return { post: postView(before, 'performer') };
        if (pinned) await unpinOthers(tx, before.performerId, id);
        const post = await updatePost(tx, before, { isPinned: pinned });
        await postNews(deps, tx, post, { change: 'changed' });
        return { post: postView(post, 'performer') };
      })
    ),
    handleCall(removePostPicture)(async ({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const before = await lockOwn(tx, personId, id);
        if (!before) return refuse(postUnknown);
        if (!before.picture) return { post: postView(before, 'performer') };
        const post = await updatePost(tx, before, { picture: null });
        await dropPicture(tx, before);
        await postNews(deps, tx, post, { change: 'changed' });
        return { post: postView(post, 'performer') };
      })
    ),
    handleCall(deletePost)(async ({ id }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const before = await lockOwn(tx, personId, id);
        if (!before) return refuse(postUnknown);
        await removePost(tx, before);
        await dropPicture(tx, before);
        await postNews(deps, tx, { ...before, revision: before.revision + 1 }, { change: 'removed' });
        return { status: 1 as const };
      })
    ),
  ];
}

/**
 * A post of this performer, with all their posts locked; null if it does not exist or is another performer's.
 */
export async function lockOwn(tx: Tx, performerId: number, id: number): Promise<StoredPost | null> {
  await lockPosts(tx, performerId);
  const post = await findPost(tx, id);
  return post?.performerId === performerId ? post : null;
}

/** Removes the file of a post's picture once the unit of work has committed. */
export async function dropPicture(tx: Tx, { picture }: Pick<StoredPost, 'picture'>): Promise<void> {
  if (picture) await removeStored(tx, POST_PICTURE_REMOVAL, { key: picture.key, blobs: [picture.blob] });
}

/** Stores a post and publishes it, or returns a refusal. */
export async function publish(
  deps: FanclubsDependencies,
  tx: Tx,
  performerId: number,
  { body: written, audience }: PostDraft,
): Promise<StoredPost | PublishRefusal> {
  await lockPosts(tx, performerId);
  if (!(await findClub(tx, performerId)).enabled) return clubClosed;
  const clearanceId = await deps.compliance.clearanceOf(tx, performerId);
  if (clearanceId === null) return clearanceMissing;
  const body = await textOf(deps, tx, written);
  if (typeof body !== 'string') return body;
  if ((await countPosts(tx, performerId)) >= MAX_POSTS) return postsFull;
  const post = await insertPost(tx, { performerId, clearanceId, audience, body });
  await postNews(deps, tx, post, { change: 'published', notifies: true });
  return post;
}

/** The text of a post as stored, or a refusal. */
async function textOf(
  { extensions }: Pick<FanclubsDependencies, 'extensions'>,
  tx: Tx,
  written: string,
): Promise<string | TextRefusal> {
  // Composing characters can make the text longer than what was typed.
  const body = [...cleanLines(written)].slice(0, MAX_POST_LENGTH).join('').trim();
  if (body === '') return postEmpty;
  return (await extensions.one(blockedWords)(tx, body)) ? postBlocked : body;
}
