import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Bell } from 'lucide-react';
import { NavLink } from 'react-router';

/** A higher count is shown as "99+". */
const MOST_SHOWN = 99;

/** Links to the notifications and shows how many are unread. Narrow windows have it in the menu. */
export function BellLink({ count }: { count: number }) {
  const { t } = useTranslation('screens');
  return (
    <NavLink
      to="/notifications"
      className="relative inline-flex size-11 items-center justify-center rounded-full text-muted
        hover:bg-raised hover:text-text aria-[current=page]:text-text max-lg:hidden"
    >
      <Bell size={20} aria-hidden />
      {count > 0
        ? (
          <span
            aria-hidden
            className="tabular absolute top-1 right-0 rounded-full bg-pink px-1 text-xs
          font-bold text-ink"
          >
            {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
          </span>
        )
        : null}
      <span className="sr-only">{count > 0 ? t('bell.unread', { count }) : t('bell.label')}</span>
    </NavLink>
  );
}
