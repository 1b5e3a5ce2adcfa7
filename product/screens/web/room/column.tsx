import { useRead } from '#platform/ui/calls/calls.ts';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { getHeld } from '#product/room-moderation/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { ChatColumn } from '#product/rooms/web/chat/column.tsx';
import type { RoomLink } from '#product/rooms/web/live.ts';
import { lazy, Suspense } from 'react';
import { OutageBanner } from './connection/outage.tsx';
import type { Order } from './order.tsx';
import { shownWhere, type Panel } from './panels.tsx';
import { useLineActions } from './room-parts.tsx';

/** Fetched when somebody opens it. */
const UserListPanel = lazy(async () => ({
  default: (await import('./users/user-list.tsx')).UserListPanel,
}));
/** Only for moderators, and only once they open it. */
const ModerationPanel = lazy(() => import('#product/room-moderation/web/panel/moderation-panel.tsx'));

/** Whether this viewer sees who is in the room: performer, site moderators, everybody if allowed. */
export const seesUsers = ({ auth, userSetting }: RoomDataView): boolean =>
  auth.seesUsers || userSetting.isUserListVisible;

/** Messages that wait for a moderator; 0 for everybody else. */
export function useWaiting(username: string, mayModerate: boolean): number {
  const { data } = useRead(getHeld, { username }, { enabled: mayModerate });
  return mayModerate ? data?.held.length ?? 0 : 0;
}

interface ColumnPanesProps {
  readonly room: RoomDataView;
  readonly link: RoomLink;
  readonly order: Order;
  readonly open: Panel;
  /** People in the room. */
  readonly count: number;
  /** Seconds since the connection was lost, or null. */
  readonly outage: number | null;
}

/** The column beside the video: the chat, or in its place the users or the moderation panel. */
export function ColumnPanes({ room, link, order, open, count, outage }: ColumnPanesProps) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const { username } = room.user;
  return (
    <>
      <OutageBanner seconds={outage} />
      <div
        className={`flex min-h-0 grow flex-col max-lg:contents phone-landscape:flex!
        ${shownWhere('chat', open)}`}
      >
        <ChatColumn
          link={link}
          name={room.user.displayName}
          me={me?.user.username ?? null}
          empty={t('room.chatEmpty')}
          speech={order.speech}
          actions={order.actions}
          call={order.call}
          lineActions={useLineActions(room, link)}
          onPerson={order.onPerson}
          ignored={order.ignored}
          onLogin={() => void askLogin('chat')}
        />
      </div>
      {open === 'users'
        ? (
          <Suspense fallback={<Skeleton className="m-3 h-32" />}>
            <UserListPanel link={link} everybody={count} onOpen={order.openCard} />
          </Suspense>
        )
        : null}
      {open === 'moderation' && order.mayModerate
        ? (
          <div className="min-h-0 grow basis-0 overflow-y-auto phone-landscape:hidden">
            <Suspense fallback={<Skeleton className="m-3 h-32" />}>
              <ModerationPanel room={username} moderating={order.moderating} />
            </Suspense>
          </div>
        )
        : null}
      {order.surface}
    </>
  );
}
