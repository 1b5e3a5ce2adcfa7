import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

/** Leads a member to the page where they become a performer. */
export function BecomeSection() {
  const { t } = useTranslation('accounts');
  return (
    <div className="flex flex-col items-start gap-4">
      <p className="text-muted">{t('models.sectionLead')}</p>
      <ButtonLink to="/models/signup">{t('models.title')}</ButtonLink>
    </div>
  );
}
