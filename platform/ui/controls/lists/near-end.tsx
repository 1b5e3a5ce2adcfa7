import { useEffect, useRef, type RefObject } from 'react';
import type { PagesRead } from '../../calls/pages.ts';

/**
 * Loads the next page when somebody scrolls near an element at the end of a list, one load at a time. After a
 * failed one only a button tries again; browsers that do not notice have it too.
 * @param earlyPx how far before the element would be seen
 */
export function useNearEnd(
  end: RefObject<HTMLElement | null>, { fetchNextPage, hasNextPage, isFetching, isError }: PagesRead<unknown>,
  earlyPx: number,
): void {
  const isWaiting = hasNextPage && !isFetching && !isError;
  useEffect(() => {
    const element = end.current;
    if (!element || !isWaiting || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver((seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage();
    }, { rootMargin: `0px 0px ${earlyPx}px 0px` });
    observer.observe(element);
    return () => observer.disconnect();
  }, [end, earlyPx, fetchNextPage, isWaiting]);
}

/** The next load begins this far before the end of the list would be seen. */
const EARLY_PX = 600;

/** Stands at the end of a list: loads the next page when somebody scrolls near it. */
export function NearEnd({ read }: { read: PagesRead<unknown> }) {
  const mark = useRef<HTMLDivElement>(null);
  useNearEnd(mark, read, EARLY_PX);
  return <div ref={mark} aria-hidden />;
}
