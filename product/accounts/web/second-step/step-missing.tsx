import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';

/** Whether the time to set up a second step is over. @param by ISO 8601; null where none is missing */
export function useStepOverdue(by: string | null | undefined): boolean {
  const clock = useServerClock();
  return by != null && new Date(by).getTime() <= clock.now();
}

/**
 * Says that a second step of log-in is required, and from which day on nothing of staff and performers opens
 * without it.
 * @param by ISO 8601
 * @param atLogIn there is one, and this log-in went without it
 */
export function StepMissing({ by, atLogIn }: { readonly by: string; readonly atLogIn: boolean }) {
  const { t, i18n } = useTranslation('accounts');
  const isOverdue = useStepOverdue(by);
  if (atLogIn) return <>{t('twoFactor.again')}</>;
  if (isOverdue) return <>{t('twoFactor.missingNow')}</>;
  // In UTC, so that server and browser write the same day.
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeZone: 'UTC' })
    .format(new Date(by));
  return <>{t('twoFactor.missing', { day })}</>;
}
