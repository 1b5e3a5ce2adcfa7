import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';

/** Whether the time to set up a second step is over. @param by ISO 8601; null where none is missing */
export function useStepOverdue(by: string | null | undefined): boolean {
  const clock = useServerClock();
  return by != null && new Date(by).getTime() <= clock.now();
}

/**
 * Says that log-in needs a second step, and from which day on pages of staff and performers stay closed
 * without it.
 * @param by ISO 8601
 * @param atLogIn there is a second step, but this log-in did not use it
 */
export function StepMissing({ by, atLogIn }: { readonly by: string; readonly atLogIn: boolean }) {
  const { t, i18n } = useTranslation('accounts');
  const isOverdue = useStepOverdue(by);
  if (atLogIn) return <>{t('twoFactor.again')}</>;
  if (isOverdue) return <>{t('twoFactor.missingNow')}</>;
  // In UTC, so that server and browser show the same day.
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long', timeZone: 'UTC' })
    .format(new Date(by));
  return <>{t('twoFactor.missing', { day })}</>;
}
