import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import { broadcastStarted } from '#product/broadcast/contract.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import type { NoticesService } from '#product/notices/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import { ALERT_BATCH, ALERT_REST_MS } from '../rules.ts';
import { followersAfter, takeAlert } from '../store/alerts.ts';

const DEADLINE = 'messaging.alerts';

/** Notifies followers that a performer is live, by their choice in `featured_show_notification`. */
export const WENT_LIVE: NoticeKind = {
  name: 'messaging:notices.wentLive',
  channels: ['app', 'email', 'push'],
  usual: ['app'],
  byFeaturedShow: true,
};

export interface AlertDependencies {
  readonly data: Data;
  readonly accounts: AccountsService;
  readonly rooms: RoomsService;
  readonly broadcast: BroadcastService;
  readonly notices: NoticesService;
}

/** Which followers of a broadcast are still to be notified; stored, so that a restart resumes there. */
interface Progress {
  readonly performerId: number;
  /** Names the broadcast: nobody is notified twice about it. */
  readonly once: string;
  readonly afterId: number;
}

/** The first media of a broadcast starts notifying its followers, one batch in each unit of work. */
export function alertSubscriptions({ data }: AlertDependencies): Subscription[] {
  return [
    subscribe(broadcastStarted, 'messaging.alerts')(({ id, operatorId, payload }) =>
      data.tx({ operatorId }, async (tx) => {
        const { performerId } = payload;
        if (!(await takeAlert(tx, performerId, ALERT_REST_MS))) return;
        await schedule(tx, { performerId, once: `live:${id}`, afterId: 0 });
      })
    ),
  ];
}

const schedule = (tx: Tx, progress: Progress): Promise<void> =>
  tx.schedule({ kind: DEADLINE, key: String(progress.performerId), at: tx.now, payload: progress });

export function alertDeadlines(deps: AlertDependencies): DeadlineHandler[] {
  const { data, accounts, broadcast } = deps;
  return [{
    kind: DEADLINE,
    handle: ({ operatorId, payload }) =>
      data.tx({ operatorId }, async (tx) => {
        const progress = payload as Progress;
        const { performerId, afterId } = progress;
        const performer = await accounts.findById(tx, performerId);
        // No alert for a performer who has already left.
        if (!performer || (await broadcast.viewOf(tx, performerId)).stream === null) return;
        const followers = await followersAfter(tx, performerId, afterId, ALERT_BATCH);
        await notifyThose(deps, tx, performer, followers.map(({ viewer_id: id }) => id), progress.once);
        const last = followers.at(-1)?.id;
        if (followers.length === ALERT_BATCH && last !== undefined) {
          await schedule(tx, { ...progress, afterId: last });
        }
      }),
  }];
}

async function notifyThose(
  { rooms, notices }: AlertDependencies,
  tx: Tx,
  performer: Person,
  followerIds: readonly number[],
  once: string,
): Promise<void> {
  await notices.notifyMany(tx, {
    personIds: [...(await rooms.reachable(tx, performer.id, followerIds)).keys()],
    kind: WENT_LIVE.name,
    values: { name: performer.displayName, username: performer.username },
    link: `/${performer.username}`,
    once,
  });
}
