import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link, useLocation } from 'react-router';

const PAGE = '/account/ways-in';

/** A notice on each page after a recovery, until the person has checked their new ways to log in. */
export default function WaysInNotice() {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  const { pathname } = useLocation();
  if (!ready || pathname === PAGE) return null;
  return (
    <section
      aria-label={t('waysIn.title')}
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line bg-raised
        px-4 py-2 text-sm"
    >
      <p>{t('waysIn.notice')}</p>
      <Link to={PAGE} className="inline-flex min-h-11 items-center font-medium text-link hover:underline">
        {t('waysIn.look')}
      </Link>
    </section>
  );
}
