import type { Problem } from '#platform/contract/client.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Extra } from '#platform/ui/faults/crash-boundary.tsx';
import { Title } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoomWords } from '#product/browse/client.ts';
import { roomHead, roomMark, roomMovedTo } from '#product/browse/web/seo/room-head.ts';
import { getRoom } from '#product/rooms/client.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { statusOf } from '#product/rooms/rules/room-data.ts';
import { useRoom } from '#product/rooms/web/live.ts';
import { MessageCircle } from 'lucide-react';
import { lazy, useRef, useState } from 'react';
import { isRouteErrorResponse, Navigate, useParams, useRouteError } from 'react-router';
import { ActionBar } from './action-bar.tsx';
import { ColumnPanes, seesUsers, useWaiting } from './column.tsx';
import { useLeaving, useRefused } from './connection/leaving.ts';
import { useOutage } from './connection/outage.tsx';
import { useVisibleRoom } from './connection/visible-room.ts';
import { useGuestOverlay } from './entry/guest-overlay.ts';
import { barOf, RoomError, RoomSkeleton } from './entry/room-error.tsx';
import { useOrder } from './order.tsx';
import { ColumnPanels, columnShown, PhonePanels, shownWhere, type Panel } from './panels.tsx';
import { About } from './panels/about.tsx';
import { Picture } from './picture.tsx';
import { RoomBar } from './room-bar.tsx';
import { PART_REDUCERS, PART_TEXTS, RoomParts } from './room-parts.tsx';
import { useSmallVideo } from './small-video.tsx';
import { useTheatre } from './theatre.ts';

export const handle: RouteHandle = { bare: true, banner: 'room', head: roomHead, mark: roomMark };
const texts = ['rooms', 'broadcast', 'room-moderation', ...PART_TEXTS];
export const loader = routeData({
  texts,
  reads: ({ params }) => [read(getRoom, { username: normalizeUsername(params['username'] ?? '') })],
  readsBeforeGate: (
    { params },
  ) => [read(getRoomWords, { username: normalizeUsername(params['username'] ?? '') })],
  movedTo: roomMovedTo,
});
/** A click on a tile opens the room at once; its data fills it when it arrives. */
export const clientLoader = routeData({ texts });

/** The live room: video, chat, tips, and the performer (docs/look.md, Room). */
export default function RoomPage() {
  const username = normalizeUsername(useParams()['username'] ?? '');
  const { data: room, error, refetch } = useRead(getRoom, { username });
  const status = statusOf(room, error !== null);
  const { t } = useTranslation('rooms');
  const problem = error === null ? null : problemOf(error);
  // Viewers who were removed see that, whatever room data the page still has.
  if (status === 'user_error' || barOf(problem) !== null) {
    return <RoomError problem={problem} onRetry={() => void refetch()} />;
  }
  // A name that was given up, before this page was opened or since.
  if (room && room.user.username !== username) return <Navigate to={`/${room.user.username}`} replace />;
  return (
    <>
      <Title>{room ? room.seo.title : t('loading')}</Title>
      <h1 className="sr-only" tabIndex={-1}>{room ? room.seo.h1 : t('loading')}</h1>
      {room ? <RoomView key={username} data={room} /> : <RoomSkeleton />}
    </>
  );
}

/** Under the panel of somebody offline; loaded on demand, since most visits are to live performers. */
const LiveNow = lazy(() => import('./panels/live-now.tsx'));

/**
 * The space beside the header, its line, the notices and the consent banner. In landscape a phone shows
 * the video alone, with the chat over a part of it.
 */
const FRAME = 'group flex flex-col max-lg:bg-surface lg:grid lg:grid-cols-[minmax(0,1fr)_360px] '
  + 'h-[calc(var(--room,100dvh)-var(--around,57px))] '
  + 'lg:data-theatre:grid-cols-1 phone-landscape:fixed phone-landscape:inset-0 phone-landscape:z-40 '
  + 'phone-landscape:h-auto phone-landscape:bg-black';
/** On a phone its content belongs to the frame itself: the action bar is above the chat's field. */
const COLUMN = 'flex min-h-0 grow flex-col border-line bg-surface max-lg:contents lg:border-l '
  + 'lg:group-data-theatre:hidden phone-landscape:absolute phone-landscape:inset-y-0 '
  + 'phone-landscape:right-0 phone-landscape:flex! phone-landscape:w-2/5 '
  + 'phone-landscape:min-w-56 phone-landscape:bg-surface/80 phone-landscape:data-off:hidden!';

function RoomView({ data }: { data: RoomDataView }) {
  const { t } = useTranslation('screens');
  const [panel, setPanel] = useState<Panel>('chat');
  const [hasChat, setHasChat] = useState(true);
  const theatre = useTheatre();
  const frame = useRef<HTMLDivElement>(null);
  // Some people prefer that the video disappears with the page instead of moving to a corner.
  const small = useSmallVideo(useMe()?.settings.video_player_floating_enabled !== 'NO');
  const room = useGuestOverlay(data);
  const link = useRoom(room.user.username, PART_REDUCERS);
  const outage = useOutage(link.joined);
  useVisibleRoom(frame);
  const order = useOrder(room, link, () => setPanel('chat'));
  useLeaving(link.connection, room.user.username);
  useRefused(link.connection, room.user.username);
  const count = room.chat.userCount;
  const waiting = useWaiting(room.user.username, order.mayModerate);
  const panels = panelsOf(room, order.mayModerate);
  const choice = { panels, open: panel, onOpen: setPanel, users: count, waiting };
  return (
    <div
      ref={frame}
      className={FRAME}
      data-theatre={theatre.isOn ? '' : undefined}
      data-scrolled={small.isShown ? '' : undefined}
      data-chat={hasChat ? '' : undefined}
    >
      <RoomParts position="Events" room={room} link={link} />
      <div
        onScroll={small.onScroll}
        className="flex min-h-0 flex-col max-lg:contents lg:relative lg:overflow-y-auto"
      >
        <Picture
          room={room}
          link={link}
          ignored={order.ignored}
          onCloseSmall={small.isShown ? small.close : null}
        />
        <RoomBar room={room} count={count} isLost={outage !== null}>
          <RoomParts position="Bar" room={room} link={link} />
        </RoomBar>
        <ActionBar room={room} link={link} theatre={theatre} />
        <RoomParts position="Banner" room={room} link={link} />
        {room.streamStatus === 'offline'
          ? (
            <Extra>
              <LiveNow />
            </Extra>
          )
          : null}
        <PhonePanels {...choice} />
        <div
          className={`relative shrink-0 p-4 max-lg:min-h-0 max-lg:shrink max-lg:grow max-lg:basis-0
          max-lg:overflow-y-auto phone-landscape:hidden ${shownWhere('about', panel)}`}
        >
          <About room={room} link={link} />
        </div>
      </div>
      <LyingSwitch isOn={hasChat} onChange={setHasChat} />
      <section
        aria-label={t('room.chat')}
        data-off={hasChat ? undefined : ''}
        className={`${COLUMN} ${columnShown(panel)}`}
      >
        <ColumnPanels {...choice} />
        <ColumnPanes room={room} link={link} order={order} open={panel} count={count} outage={outage} />
      </section>
    </div>
  );
}

/** On a phone in landscape: the chat over the video, or the video alone. */
function LyingSwitch({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const { t } = useTranslation('screens');
  return (
    <div className="absolute top-2 left-2 z-10 hidden rounded-control bg-surface/80 phone-landscape:block">
      <IconButton label={t('room.chatOver')} pressed={isOn} onClick={() => onChange(!isOn)}>
        <MessageCircle size={20} aria-hidden />
      </IconButton>
    </div>
  );
}

/** The panels of the room that this viewer has. */
const panelsOf = (room: RoomDataView, mayModerate: boolean): readonly Panel[] => [
  'chat',
  ...(seesUsers(room) ? ['users' as const] : []),
  'about',
  ...(mayModerate ? ['moderation' as const] : []),
];

/** A room that did not load at all. */
export function ErrorBoundary() {
  const error = useRouteError();
  if (!isRouteErrorResponse(error)) throw error;
  return <RoomError problem={error.data as Partial<Problem>} onRetry={() => globalThis.location.reload()} />;
}
