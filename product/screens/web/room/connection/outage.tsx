import { clockText } from '#platform/ui/text/measures.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, useState } from 'react';

/** Seconds since a joined room was lost; null while it is connected, and for the first second. */
export function useOutage(joined: boolean): number | null {
  const [seconds, setSeconds] = useState<number | null>(null);
  const wasJoined = useRef(false);
  useEffect(() => {
    wasJoined.current ||= joined;
    setSeconds(null);
    if (joined || !wasJoined.current) return undefined;
    const timer = setInterval(() => setSeconds((passed) => (passed ?? 0) + 1), 1_000);
    return () => clearInterval(timer);
  }, [joined]);
  return seconds;
}

/** Over the chat while the room is lost: messages sent meanwhile arrive when it is back. */
export function OutageBanner({ seconds }: { seconds: number | null }) {
  const { t } = useTranslation('screens');
  return (
    <div role="status">
      {seconds === null
        ? null
        : (
          <p className="flex items-baseline justify-between gap-2 border-b border-line bg-raised px-3 py-2
          text-sm text-warning-text">
            {t('room.outage')}
            {/* Hidden from screen readers, which would read the seconds and nothing else. */}
            <span aria-hidden className="tabular">{clockText(seconds)}</span>
          </p>
        )}
    </div>
  );
}
