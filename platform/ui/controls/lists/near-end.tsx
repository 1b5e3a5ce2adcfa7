import { useEffect, useRef, type RefObject } from 'react';
import type { PagesRead } from '../../calls/pages.ts';

/**
 * Loads the next page when an element at the end of a list comes near the viewport, one load at a time. After
 * a failed load only a button tries again; it also serves browsers that cannot observe the element.
 * @param earlyPx distance below the viewport at which loading begins
 */
export function useNearEnd(
  end: RefObject<HTMLElement | null>,
  { fetchNextPage, hasNextPage, isFetching, isError }: PagesRead<unknown>,
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

/** How far below the viewport the end of the list may be when the next load begins. */
const EARLY_PX = 600;

/** Put at the end of a list: loads the next page when somebody scrolls near it. */
export function NearEnd({ read }: { read: PagesRead<unknown> }) {
  const mark = useRef<HTMLDivElement>(null);
  useNearEnd(mark, read, EARLY_PX);
  return <div ref={mark} aria-hidden />;
}
