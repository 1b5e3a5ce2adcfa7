import { useLocation } from 'react-router';
import { routeData } from '../../../../platform/ui/calls/route.ts';
import { ButtonLink } from '../../../../platform/ui/controls/button.tsx';
import { Narrow } from '../../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';

const load = routeData({ texts: ['accounts'], always: true });
export { load as loader, load as clientLoader };
export const handle = { always: true };

/**
 * Where a log-in of a suspended account leads: since when, and whom to ask. The day comes with the refusal,
 * to whoever gave the right password; the address alone names none.
 */
export default function SuspendedPage() {
  const { t, i18n } = useTranslation('accounts');
  const { since } = (useLocation().state ?? {}) as { readonly since?: string };
  const date = since === undefined ? null
    : new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(since));
  return (
    <Narrow title={t('suspendedPage.title')}>
      <p>{date === null ? t('suspendedPage.now') : t('suspendedPage.since', { date })}</p>
      <p className="mt-2 text-muted">{t('suspendedPage.text')}</p>
      <div className="mt-6">
        <ButtonLink to="/support" tone="primary">{t('suspendedPage.support')}</ButtonLink>
      </div>
    </Narrow>
  );
}
