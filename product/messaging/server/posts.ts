import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { personChannel, type PayloadOf } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { fanPost, postChanged } from '#product/fanclubs/contract/posts.ts';
import { ALERT_BATCH } from '../rules.ts';
import { followersAfter } from '../store/alerts.ts';
import type { AlertDependencies } from './alerts.ts';

const DEADLINE = 'messaging.fanPosts';

/** Which followers are still to be sent a change of a post; stored, so that a restart resumes there. */
interface Progress {
  readonly performerId: number;
  readonly event: PayloadOf<typeof fanPost>;
  /** Names the change. */
  readonly key: string;
  readonly afterId: number;
}
const schedule = (tx: Tx, progress: Progress): Promise<void> =>
  tx.schedule({ kind: DEADLINE, key: progress.key, at: tx.now, payload: progress });

/** Sends followers each change of a fan club's post, on any page: an id, and no text. */
export function fanPostSubscriptions({ data }: AlertDependencies): Subscription[] {
  return [
    subscribe(postChanged, 'messaging.fanPosts')(({ id, operatorId, payload }) =>
      data.tx({ operatorId }, async (tx) => {
        const { performerId, postId, isOpen, postedAt: _postedAt, ...change } = payload;
        // Posts of a closed club are only for its members.
        if (!isOpen) return;
        await schedule(tx, { performerId, key: `post ${id}`, afterId: 0, event: { id: postId, ...change } });
      })
    ),
  ];
}

export function fanPostDeadlines({ data, rooms }: AlertDependencies): DeadlineHandler[] {
  return [{
    kind: DEADLINE,
    handle: ({ operatorId, payload }) =>
      data.tx({ operatorId }, async (tx) => {
        const progress = payload as Progress;
        const { performerId, event, afterId } = progress;
        const followers = await followersAfter(tx, performerId, afterId, ALERT_BATCH);
        const reached = await rooms.reachable(tx, performerId, followers.map(({ viewer_id: id }) => id));
        for (const id of reached.keys()) await tx.send(personChannel(id), fanPost, event);
        const last = followers.at(-1)?.id;
        if (followers.length === ALERT_BATCH && last !== undefined) {
          await schedule(tx, { ...progress, afterId: last });
        }
      }),
  }];
}
