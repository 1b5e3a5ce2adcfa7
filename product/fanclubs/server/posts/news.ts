import type { DeadlineHandler } from '#platform/contract/bind.ts';
import { personChannel, topicChannel, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { fanPost, postChanged } from '../../contract/posts.ts';
import { levelsReading, POST_BATCH, type PostChange } from '../../rules/posts.ts';
import { findClub, membersAfter } from '../../store.ts';
import { findPost, type StoredPost } from '../../store/posts.ts';
import type { FanclubsDependencies } from '../dependencies.ts';
import { NEW_POST } from '../notices.ts';

const DEADLINE = 'fanclubs.postNews';

/** Which members still have to be notified of a change; stored, so that a restart continues there. */
interface Progress {
  readonly performerId: number;
  readonly event: PayloadOf<typeof fanPost>;
  readonly notifies: boolean;
  readonly afterId: number;
}

const keyOf = ({ id, revision }: Pick<StoredPost, 'id' | 'revision'>): string => `${id} ${revision}`;

/**
 * Publishes a change of a post: id and audience to the room and the performer now, to members by a job, and
 * as a fact to later slices. No text is sent: each page reads what its viewer may.
 */
export async function postNews(
  { accounts }: Pick<FanclubsDependencies, 'accounts'>,
  tx: Tx,
  post: StoredPost,
  { change, notifies = false }: { readonly change: PostChange; readonly notifies?: boolean },
): Promise<void> {
  const { id, performerId, audience, at } = post;
  const performer = await accounts.findById(tx, performerId);
  if (!performer) throw new Error(`performer ${performerId} has posts and no account`);
  const { username } = performer;
  const payload = { username, id, change, audience };
  const { enabled: isOpen } = await findClub(tx, performerId);
  // Posts of a closed club are for its members only.
  if (isOpen) await tx.send(topicChannel(roomTopic(performerId)), fanPost, payload);
  await tx.send(personChannel(performerId), fanPost, payload);
  await tx.publish(postChanged, `performer:${performerId}`, {
    performerId,
    username,
    postId: id,
    change,
    audience,
    isOpen,
    postedAt: at.toISOString(),
  });
  const progress: Progress = { performerId, event: payload, notifies, afterId: 0 };
  await tx.schedule({ kind: DEADLINE, key: keyOf(post), at: tx.now, payload: progress });
}

/** Sends members a change, one batch per unit of work; a new post also as a notice. */
export const newsDeadline = (deps: FanclubsDependencies): DeadlineHandler => ({
  kind: DEADLINE,
  handle: ({ operatorId, key, payload }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const progress = payload as Progress;
      const { performerId, afterId } = progress;
      const performer = await deps.accounts.findById(tx, performerId);
      if (!performer) return;
      // Uses the post's current state: a later change may already be stored.
      const post = await findPost(tx, progress.event.id);
      const event = post
        ? { ...progress.event, audience: post.audience }
        : { ...progress.event, change: 'removed' as const };
      const members = await membersAfter(tx, performerId, {
        after: afterId,
        levels: FANCLUB_LEVELS,
        limit: POST_BATCH,
      });
      const seen = await deps.rooms.reachable(tx, performerId, members.map(({ memberId }) => memberId));
      const reached = members.filter(({ memberId }) => seen.has(memberId));
      for (const { memberId } of reached) await tx.send(personChannel(memberId), fanPost, event);
      if (post && progress.notifies) await notifyThose(deps, tx, performer, post, reached);
      const last = members.at(-1)?.id;
      if (members.length === POST_BATCH && last !== undefined) {
        await tx.schedule({ kind: DEADLINE, key, at: tx.now, payload: { ...progress, afterId: last } });
      }
    }),
});

/**
 * Notifies the members who can read the post now; `once` names the post, so that nobody is notified twice.
 */
async function notifyThose(
  { notices }: FanclubsDependencies,
  tx: Tx,
  performer: Person,
  { id, audience }: StoredPost,
  members: Awaited<ReturnType<typeof membersAfter>>,
): Promise<void> {
  const levels = levelsReading(audience);
  await notices.notifyMany(tx, {
    personIds: members.filter(({ level }) => levels.includes(level)).map(({ memberId }) => memberId),
    kind: NEW_POST.name,
    values: { name: performer.displayName, username: performer.username },
    link: `/${performer.username}/fanclub`,
    once: `fanclub post:${id}`,
  });
}
