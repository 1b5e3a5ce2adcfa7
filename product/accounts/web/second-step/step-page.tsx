import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '../me.ts';
import { LogInAgain } from './log-in-again.tsx';

/** Replaces a page that needs a second step, and leads to setting one up, or to a log-in with it. */
export default function StepPage() {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  const atLogIn = useMe()?.user.two_factor_at_log_in ?? false;
  if (!ready) return null;
  return (
    <Narrow title={t('twoFactor.required')} lead={t(atLogIn ? 'twoFactor.again' : 'twoFactor.missingNow')}>
      <div>
        {atLogIn
          ? <LogInAgain />
          : <ButtonLink to="/account/settings#two-step" tone="primary">{t('twoFactor.setUp')}</ButtonLink>}
      </div>
    </Narrow>
  );
}
