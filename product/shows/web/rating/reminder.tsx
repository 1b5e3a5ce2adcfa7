import { SECOND_MS } from '#platform/time/units.ts';
import { useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useLobby } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { readCookies } from '#platform/ui/faults/cookies.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { keep } from '#product/accounts/web/preferences.ts';
import { tokenUpdate } from '#product/ledger/client.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { lazy, Suspense, useEffect, useState } from 'react';
import { getOwnRating, showsPart } from '../../client.ts';
import { isReminded, REMINDER_COOKIE, REMINDER_PAUSE_MS } from '../../rules/ratings.ts';
import { IN_PRIVATE } from '../in-private.ts';
import { useSpyCheck } from '../spying/live.ts';
import { RATING_OF, showRating } from './live.ts';

const RatingDialog = lazy(() => import('./rating-dialog.tsx'));

const remindedAt = (): number | null => Number(readCookies().get(REMINDER_COOKIE)) || null;

/** The browser drops the cookie once it no longer has an effect. */
const rememberReminder = (nowMs: number): void =>
  keep(REMINDER_COOKIE, String(nowMs), Math.ceil(REMINDER_PAUSE_MS / SECOND_MS));

/** The rating dialog of this room, and the effect of the viewer's own tips on it. */
export function Rating(props: PagePartProps) {
  const { room } = props;
  const { username, displayName: name } = room.user;
  const store = useLiveStore();
  const isOpen = useLiveState(RATING_OF, (of) => of?.username === username && of.as === 'dialog');
  useOwnTips(props);
  // A viewer who leaves the room is not asked when they come back.
  useEffect(() => () => store.change(RATING_OF, (of) => (of?.username === username ? null : of)), [
    store,
    username,
  ]);
  if (!isOpen || room.auth.isStreamer) return null;
  return (
    <Suspense>
      <RatingDialog username={username} name={name} onClose={() => store.change(RATING_OF, () => null)} />
    </Suspense>
  );
}

/** Kinds of operation that are tips. */
const TIP_KINDS: readonly string[] = ['tip', 'tip_split'];

/**
 * Reads after each of the viewer's own tips whether they may rate now. It relies on the balance event,
 * because the room does not show whose an anonymous tip was: otherwise everybody in it would ask at once.
 */
function useOwnTips({ room }: PagePartProps): void {
  const call = useCall();
  const cache = useCache();
  const isMember = useMe() !== null;
  const { username } = room.user;
  useEvent(useLobby(), tokenUpdate, ({ type, token_change: change }) => {
    if (!isMember || room.auth.isStreamer || change >= 0 || !TIP_KINDS.includes(type)) return;
    // Best effort: if this fails, nobody is reminded.
    call(getOwnRating, { username }).then((answer) => showRating(cache, answer)).catch(() => undefined);
  });
}

/** Whether this viewer is in a show of this room that costs them tokens. */
function useIsPaying(room: PagePartProps['room']): boolean {
  const isInPrivate = useLiveState(IN_PRIVATE, (isIn) => isIn);
  const isSpying = (useSpyCheck(room).data?.running ?? null) !== null;
  const { limitedShow: ticketShow } = readPart(room, showsPart);
  return isInPrivate || isSpying
    || (ticketShow?.state === 'running' && ticketShow.purchased_ticket);
}

/**
 * A line for viewers whose show has ended, or who tipped and have not rated today. It stays until they rate
 * or close it.
 */
export function RatingReminder({ room }: PagePartProps) {
  const { t } = useTranslation('shows');
  const store = useLiveStore();
  const clock = useServerClock();
  const isMember = useMe() !== null;
  const [remindedFor, setRemindedFor] = useState<string | null>(null);
  const { username, displayName: name } = room.user;
  const { rateToday, recentTips } = readPart(room, showsPart).auth;
  // Nobody is asked about a performer who is offline.
  const isOffline = room.chat.status === 'offline';
  const isAsked = isMember && !room.auth.isStreamer && !isOffline;
  useEffect(() => {
    const nowMs = clock.now();
    if (!isAsked || !isReminded({ recentTips, rateToday, remindedAtMs: remindedAt(), nowMs })) return;
    rememberReminder(nowMs);
    setRemindedFor(username);
  }, [clock, isAsked, rateToday, recentTips, username]);
  const isPaying = useIsPaying(room);
  // The reminder must not cover a video that is being paid for.
  const isReminder = isAsked && !isPaying && rateToday === 'RATE_NO' && remindedFor === username;
  const isAfterShow = useLiveState(RATING_OF, (of) =>
    of?.username === username
    && (of.as === 'card' || (of.as === 'card_live' && !isOffline)));
  const close = () => {
    setRemindedFor(null);
    store.change(RATING_OF, () => null);
  };
  return (
    // Over the video: what opens by itself must not move anything that is about to be clicked. The small
    // video has no room for it beside its close button.
    <div
      role="status"
      className={`absolute top-2 right-2 z-10 max-w-[calc(100%-16px)] text-text
      phone-landscape:top-16
      phone-landscape:right-2/5 lg:group-data-scrolled:hidden
      ${isAfterShow ? '' : 'max-sm:group-has-data-offer:hidden'}`}
    >
      {isReminder || isAfterShow
        ? (
          <div className="flex items-center gap-2 rounded-card border border-line bg-surface py-1 pr-1 pl-4
          whitespace-nowrap shadow-float">
            <p className="line-clamp-2 min-w-0 text-sm whitespace-normal max-sm:text-xs">
              {t(isAfterShow ? 'rating.afterShow' : 'rating.reminder', { name })}
            </p>
            <Button onClick={() => store.change(RATING_OF, () => ({ username, as: 'dialog' }))}>
              {t('rating.do')}
            </Button>
            <Button tone="quiet" onClick={close}>{t('rating.later')}</Button>
          </div>
        )
        : null}
    </div>
  );
}
