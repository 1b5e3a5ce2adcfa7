import { useCallback, useEffect, useRef, useState } from 'react';
import { useCache, type Applied } from '#platform/ui/calls/calls.ts';
import { liveState, useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { privateWatch, type watchTogether } from '../../client.ts';
import type { RunningPrivateView, WatchTogetherView } from '../../contract/private-running.ts';
import { watchedAt, type Watched } from '../../rules/private.ts';
import { changeCheck, changeQueue } from '../private/live.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';

/** Counts what may have made a video readable that was not: what was changed, and each time a page joins. */
const CHANGES = liveState('shows.watchChanges', 0);
/** How often a page looks where a video is. */
const POSITION_EVERY_MS = 500;

/** Where a video is by the server's clock, in which each page has it at the same place. */
export type WhereNow = () => Watched;

const watchedOf = (
  { id, length_ms: lengthMs, position_ms: positionMs, is_playing: isPlaying, at }: WatchTogetherView,
): Watched => ({ id, lengthMs, positionMs, isPlaying, at: Date.parse(at) });

/** Says where a video is now: by the server's clock, for those of browsers are wrong. */
export function useWhereNow(view: WatchTogetherView): WhereNow {
  const clock = useServerClock();
  return useCallback(() => watchedAt(watchedOf(view), clock.now()), [clock, view]);
}

/** Does something with each change of what is watched, whoever made it. */
export function useWatchChange(handler: () => void): void {
  const changes = useLiveState(CHANGES, (count) => count);
  const known = useRef(changes);
  useEffect(() => {
    if (known.current !== changes) handler();
    known.current = changes;
  }, [changes, handler]);
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
