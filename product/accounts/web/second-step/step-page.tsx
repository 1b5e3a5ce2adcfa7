import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';

/** Stands in place of a page that a second step of log-in opens, and leads to setting one up. */
export default function StepPage() {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  if (!ready) return null;
  return (
    <Narrow title={t('twoFactor.required')} lead={t('twoFactor.missingNow')}>
      <div>
        <ButtonLink to="/account/settings#two-step" tone="primary">{t('twoFactor.setUp')}</ButtonLink>
      </div>
    </Narrow>
  );
}
