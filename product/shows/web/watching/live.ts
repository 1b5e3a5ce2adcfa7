import { useCallback, useEffect, useState } from 'react';
import { useCache, type Applied } from '../../../../platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '../../../../platform/ui/calls/live-state.ts';
import { useEvent } from '../../../../platform/ui/calls/live.ts';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { SECOND_MS } from '../../../../platform/time/units.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { privateWatch, type watchTogether } from '../../client.ts';
import type { RunningPrivateView, WatchTogetherView } from '../../contract/private-show.ts';
import { watchedAt, type Watched } from '../../rules/private.ts';
import { changeCheck, changeQueue } from '../private/live.ts';

/** Milliseconds that the server's clock is ahead of the page's own, and the last time it said. */
interface ServerClock {
  readonly aheadMs: number;
  readonly at: string;
}
/** Null before the server has said its time. */
const CLOCK = liveState<ServerClock | null>('shows.serverClock', null);
/** What comes this late comes from another time of the page's clock: somebody has set it. */
const CLOCK_CHANGED_MS = 10 * SECOND_MS;
/** How often a page looks where a video is. */
const POSITION_EVERY_MS = 500;

/** Where a video is by the server's clock, in which each page has it at the same place. */
export type WhereNow = () => Watched;

const watchedOf = (
  { id, length_ms: lengthMs, position_ms: positionMs, is_playing: isPlaying, at }: WatchTogetherView,
): Watched => ({ id, lengthMs, positionMs, isPlaying, at: Date.parse(at) });

/**
 * What is known of the server's clock after it said a time. All it says comes late and nothing early, so the
 * farthest ahead is nearest. What was said before, and is read again, says nothing.
 */
function clockAfter(known: ServerClock | null, at: string, nowMs: number): ServerClock {
  const aheadMs = Date.parse(at) - nowMs;
  if (known === null) return { aheadMs, at };
  if (at <= known.at) return known;
  const isNearer = aheadMs > known.aheadMs || aheadMs < known.aheadMs - CLOCK_CHANGED_MS;
  return { aheadMs: isNearer ? aheadMs : known.aheadMs, at };
}

/** Says where a video is now. Clocks of browsers are wrong: the server's is counted on from what it said. */
export function useWhereNow(view: WatchTogetherView): WhereNow {
  const store = useLiveStore();
  const ahead = useLiveState(CLOCK, (known) => known?.aheadMs ?? null);
  useEffect(() => store.change(CLOCK, (known) => clockAfter(known, view.at, Date.now())), [store, view.at]);
  return useCallback(() => {
    const watched = watchedOf(view);
    return watchedAt(watched, ahead === null ? watched.at : Date.now() + ahead);
  }, [ahead, view]);
}

/** Where a video is, for who looks at it. */
export function usePosition(whereNow: WhereNow): Watched {
  const [position, setPosition] = useState(whereNow);
  useEffect(() => {
    const show = () => setPosition(whereNow());
    show();
    const timer = setInterval(show, POSITION_EVERY_MS);
    return () => clearInterval(timer);
  }, [whereNow]);
  return position;
}

/** A running show in which something else is watched. */
const withWatched = <Known extends { readonly running: RunningPrivateView | null }>(
  known: Known, watched: WatchTogetherView | null,
): Known => ({ ...known, running: known.running && { ...known.running, watch_together: watched } });

// What the performer's calls answer is shown at once.
export const showWatched: Applied<typeof watchTogether> = (cache, watched) =>
  changeQueue(cache, (known) => withWatched(known, watched));

/** Brings what the two of a show watch to the page. */
export function useWatchEvents({ room, link: { connection } }: PagePartProps): void {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const { auth: { isStreamer }, user: { username } } = room;
  useEvent(connection, privateWatch, ({ watch_together: watched, is_deleted: isDeleted }) => {
    if (isStreamer) changeQueue(cache, (known) => withWatched(known, watched));
    else changeCheck(cache, username, (known) => withWatched(known, watched));
    if (isDeleted) toast(t('watch.deleted'));
  });
}
