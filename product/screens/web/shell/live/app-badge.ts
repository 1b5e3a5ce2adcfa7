import { useEffect } from 'react';

/** Shows a number on the icon of the installed site, where the system can (W3C Badging API); none for 0. */
export function useAppBadge(count: number): void {
  useEffect(() => {
    const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>;
    if (!setAppBadge || !clearAppBadge) return undefined;
    // A site that is not installed has no icon.
    const show = (number: number) =>
      void (number > 0
        ? setAppBadge.call(navigator, number)
        : clearAppBadge.call(navigator)).catch(() => undefined);
    show(count);
    return () => show(0);
  }, [count]);
}
