import { useCache, type Applied } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { privateWatch, type watchTogether } from '../../client.ts';
import type { RunningPrivateView, WatchTogetherView } from '../../contract/private-running.ts';
import { watchedAt, type Watched } from '../../rules/private.ts';
import { changeCheck, changeQueue } from '../private/live.ts';

/** Counts events after which an unreadable video may be readable: each change, and each join of the page. */
const CHANGES = liveState('shows.watchChanges', 0);
/** Interval at which a page updates the displayed position. */
const POSITION_EVERY_MS = 500;

/** The current position by the server's clock, which is the same for all pages. */
export type WhereNow = () => Watched;

const watchedOf = (
  { id, length_ms: lengthMs, position_ms: positionMs, is_playing: isPlaying, at }: WatchTogetherView,
): Watched => ({ id, lengthMs, positionMs, isPlaying, at: Date.parse(at) });

/** The current position by the server's clock, since the clocks of browsers are wrong. */
export function useWhereNow(view: WatchTogetherView): WhereNow {
  const clock = useServerClock();
  return useCallback(() => watchedAt(watchedOf(view), clock.now()), [clock, view]);
}

/** Runs a handler on each change of what is watched, whoever made it. */
export function useWatchChange(handler: () => void): void {
  const changes = useLiveState(CHANGES, (count) => count);
  const known = useRef(changes);
  useEffect(() => {
    if (known.current !== changes) handler();
    known.current = changes;
  }, [changes, handler]);
}

/** The current position, for display. */
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

/** A running show with a different watched video. */
const withWatched = <Known extends { readonly running: RunningPrivateView | null }>(
  known: Known,
  watched: WatchTogetherView | null,
): Known => ({ ...known, running: known.running && { ...known.running, watch_together: watched } });

// The output of the performer's calls is shown at once.
export const showWatched: Applied<typeof watchTogether> = (cache, watched) =>
  changeQueue(cache, (known) => withWatched(known, watched));

/** Applies changes of the watched video to the page. */
export function useWatchEvents({ room, link: { connection } }: PagePartProps): void {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const store = useLiveStore();
  const { auth: { isStreamer }, user: { username } } = room;
  const changed = () => store.change(CHANGES, (count) => count + 1);
  useJoined(connection, changed);
  useEvent(connection, privateWatch, ({ watch_together: watched, is_deleted: isDeleted }) => {
    if (isStreamer) changeQueue(cache, (known) => withWatched(known, watched));
    else changeCheck(cache, username, (known) => withWatched(known, watched));
    changed();
    if (isDeleted) toast(t('watch.deleted'));
  });
}
