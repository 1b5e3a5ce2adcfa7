import { useTranslation } from '../../text/use-translation.ts';
import { Button } from '../button.tsx';

interface CursorPagerProps<Cursor> {
  /** Where the page shown begins; undefined is the newest. */
  readonly before: Cursor | undefined;
  /** Where the page after it begins; null where nothing is older. */
  readonly next: Cursor | null;
  readonly onMove: (before: Cursor | undefined) => void;
  /** The older page is on its way. */
  readonly busy?: boolean;
  readonly className?: string;
}

/** Moves through a list that is newest first: back to the newest, on to what is older. */
export function CursorPager<Cursor>(
  { before, next, onMove, busy = false, className = 'pt-4' }: CursorPagerProps<Cursor>,
) {
  const { t } = useTranslation('ui');
  return (
    <div className={`flex flex-wrap gap-3 empty:hidden ${className}`}>
      {before === undefined ? null : <Button onClick={() => onMove(undefined)}>{t('newest')}</Button>}
      {next === null ? null : <Button busy={busy} onClick={() => onMove(next)}>{t('older')}</Button>}
    </div>
  );
}
