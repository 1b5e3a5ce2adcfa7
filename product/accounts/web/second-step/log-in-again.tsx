import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLogout } from '../logout.ts';

/** Logs out, so that the next log-in takes the second step that this session lacks. */
export function LogInAgain() {
  const { t } = useTranslation('accounts');
  const { run, busy } = useLogout();
  return <Button tone="primary" busy={busy} onClick={run}>{t('twoFactor.logInAgain')}</Button>;
}
