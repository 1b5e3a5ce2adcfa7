import type { PostView } from '../../contract/posts.ts';
import type { LevelOrNone } from '../../rules/benefits.ts';
import { readsPost } from '../../rules/posts.ts';
import type { StoredPost } from '../../store/posts.ts';

/** Who reads posts: their performer, or somebody with a level. */
export type PostReader = 'performer' | { readonly level: LevelOrNone };

export const mayRead = (reader: PostReader, { audience }: Pick<StoredPost, 'audience'>): boolean =>
  reader === 'performer' || readsPost(reader.level, audience);

/** A post for one reader. If they may not read it, it has neither text nor picture. */
export function postView(post: StoredPost, reader: PostReader): PostView {
  const isRead = mayRead(reader, post);
  const { id, audience, isPinned, at, changedAt, body, picture } = post;
  return {
    id,
    at: at.toISOString(),
    changed_at: changedAt?.toISOString() ?? null,
    audience,
    is_pinned: isPinned,
    is_locked: !isRead,
    body: isRead ? body : null,
    has_picture: picture !== null,
    picture: isRead && picture
      ? { url: `/fan-posts/${picture.key}`, width: picture.width, height: picture.height }
      : null,
  };
}
