import { lazy, Suspense, useEffect } from 'react';
import { useCache, useCall } from '../../../../platform/ui/calls/calls.ts';
import { useEvent } from '../../../../platform/ui/calls/live.ts';
import { useLiveState, useLiveStore } from '../../../../platform/ui/calls/live-state.ts';
import { readCookies } from '../../../../platform/ui/faults/cookies.ts';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { keep } from '../../../accounts/web/preferences.ts';
import { readPart } from '../../../rooms/rules/room-part.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { tipReceived } from '../../../tips/client.ts';
import { getOwnRating, showsPart } from '../../client.ts';
import { isReminded, REMINDER_COOKIE, REMINDER_PAUSE_MS } from '../../rules/ratings.ts';
import { RATING_OF, showRating } from './live.ts';

const RatingDialog = lazy(() => import('./rating-dialog.tsx'));

const remindedAt = (): number | null => Number(readCookies().get(REMINDER_COOKIE)) || null;

/** The browser forgets it once it has no effect any more. */
const rememberReminder = (nowMs: number): void =>
  keep(REMINDER_COOKIE, String(nowMs), Math.ceil(REMINDER_PAUSE_MS / SECOND_MS));

/** The dialog of ratings of this room, and a reminder for viewers who tipped and have not rated today. */
export function Rating(props: PagePartProps) {
  const { room } = props;
  const { username, displayName: name } = room.user;
  const store = useLiveStore();
  const isOpen = useLiveState(RATING_OF, (of) => of === username);
  useReminder(props);
  if (!isOpen || room.auth.isStreamer) return null;
  return (
    <Suspense>
      <RatingDialog username={username} name={name} onClose={() => store.change(RATING_OF, () => null)} />
    </Suspense>
  );
}

/** Asks after each own tip whether this viewer may rate now. */
function useReminder({ room, link: { connection } }: PagePartProps): void {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const store = useLiveStore();
  const call = useCall();
  const cache = useCache();
  const me = useMe()?.user.username ?? null;
  const { username, displayName: name } = room.user;
  const { rateToday, recentTips } = readPart(room, showsPart).auth;
  const isAsked = me !== null && !room.auth.isStreamer;
  useEvent(connection, tipReceived, ({ sender_name: sender, anonymous }) => {
    if (!isAsked || (sender !== me && !anonymous)) return;
    // Best effort: a lost line or a refusal reminds nobody.
    call(getOwnRating, { username }).then((answer) => showRating(cache, answer)).catch(() => undefined);
  });
  useEffect(() => {
    const nowMs = Date.now();
    if (!isAsked || !isReminded({ recentTips, rateToday, remindedAtMs: remindedAt(), nowMs })) return;
    rememberReminder(nowMs);
    toast(t('rating.reminder', { name }), 'news', {
      stays: true, action: { text: t('rating.do'), onClick: () => store.change(RATING_OF, () => username) },
    });
  }, [isAsked, name, rateToday, recentTips, store, t, toast, username]);
}
