import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';

/**
 * Says that a second step of log-in is required, and from which day on nothing of staff and performers opens
 * without it. @param by ISO 8601
 */
export function StepMissing({ by }: { readonly by: string }) {
  const { t, i18n } = useTranslation('accounts');
  // In UTC, so that server and browser write the same day.
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeZone: 'UTC' })
    .format(new Date(by));
  return <>{t('twoFactor.missing', { day })}</>;
}
