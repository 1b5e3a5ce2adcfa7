import { subscribe, type DeadlineHandler, type Subscription } from '../../../platform/contract/bind.ts';
import { personChannel, type PayloadOf } from '../../../platform/contract/event.ts';
import type { Tx } from '../../../platform/data/data.ts';
import type { Person } from '../../accounts/server.ts';
import { fanPost, postChanged } from '../../fanclubs/contract/posts.ts';
import { ALERT_BATCH } from '../rules.ts';
import { followersAfter } from '../store/alerts.ts';
import type { AlertDependencies } from './alerts.ts';

const DEADLINE = 'messaging.fanPosts';

/** Which followers are still to be sent one change of a post; stored, so that a restart goes on there. */
interface Progress {
  readonly performerId: number;
  readonly event: PayloadOf<typeof fanPost>;
  /** Names the change. */
  readonly key: string;
  readonly afterId: number;
}
const schedule = (tx: Tx, progress: Progress): Promise<void> =>
  tx.schedule({ kind: DEADLINE, key: progress.key, at: tx.now, payload: progress });

/** Followers receive what becomes of posts of the fan club, wherever they are: an id, and no text. */
export function fanPostSubscriptions({ data }: AlertDependencies): Subscription[] {
  return [subscribe(postChanged, 'messaging.fanPosts')(({ id, operatorId, payload }) =>
    data.tx({ operatorId }, (tx) => {
      const { performerId, postId, ...change } = payload;
      return schedule(tx, { performerId, key: `post ${id}`, afterId: 0, event: { id: postId, ...change } });
    }))];
}

export function fanPostDeadlines({ data, accounts, compliance }: AlertDependencies): DeadlineHandler[] {
  return [{
    kind: DEADLINE,
    handle: ({ operatorId, payload }) => data.tx({ operatorId }, async (tx) => {
      const progress = payload as Progress;
      const { performerId, event, afterId } = progress;
      const followers = await followersAfter(tx, performerId, afterId, ALERT_BATCH);
      const state = (await compliance.statesOf(tx, [performerId])).get(performerId);
      const people = await accounts.findMany(tx, followers.map(({ viewer_id: id }) => id));
      // Where they last logged in: whoever blocks that place is not shown there.
      const sees = ({ id, lastLoginCountry }: Person): boolean => state !== undefined && compliance.seesOf({
        caller: { kind: 'person', personId: id, sessionId: null, username: null, roles: [] },
        region: lastLoginCountry ?? 'unknown', gate: 'open',
      })(performerId, state);
      for (const person of people.values()) {
        if (sees(person)) await tx.send(personChannel(person.id), fanPost, event);
      }
      const last = followers.at(-1)?.id;
      if (followers.length === ALERT_BATCH && last !== undefined) {
        await schedule(tx, { ...progress, afterId: last });
      }
    }),
  }];
}
