import type { PagesRead } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { useNearEnd } from '#platform/ui/controls/lists/near-end.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useRef } from 'react';

/** The next load starts this far before its tiles become visible. */
const EARLY_PX = 800;

interface ScrollEndProps {
  readonly read: PagesRead<unknown>;
  readonly shown: number;
  readonly total: number;
}

/**
 * The end of a scrolling listing: loads more when it is near the viewport, and has a button for keyboards and
 * for browsers that do not detect this.
 */
export function ScrollEnd({ read, shown, total }: ScrollEndProps) {
  const { t, i18n } = useTranslation('browse');
  const end = useRef<HTMLDivElement>(null);
  useNearEnd(end, read, EARLY_PX);
  const values = { shown: formatCount(shown, i18n.language), total: formatCount(total, i18n.language) };
  return (
    <div ref={end} className="flex flex-col items-center gap-2 pt-6">
      <p role="status" className="tabular text-sm text-muted">
        {t(read.hasNextPage ? 'list.shown' : 'list.end', values)}
      </p>
      <MorePages read={read} failed={t('list.failed')} className="" />
    </div>
  );
}
