import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ConfirmButton } from './email/confirm-button.tsx';
import type { Me } from './me.ts';

/** Whether a performer is cleared to go live, and what they can do next. */
export function PerformerState({ me: { user } }: { readonly me: Me }) {
  const { t } = useTranslation('accounts');
  const isCleared = user.identity_confirmed;
  return (
    <div className="flex flex-col gap-4">
      <p role="status" className="font-medium">{t(isCleared ? 'models.cleared' : 'models.waiting')}</p>
      {user.email_confirmed ? null : (
        <div className="flex flex-col items-start gap-2">
          <p>{t('models.unconfirmed')}</p>
          <ConfirmButton />
        </div>
      )}
      <div className="flex flex-wrap gap-3">
        {isCleared ? <ButtonLink to="/go-live" tone="primary">{t('models.goLive')}</ButtonLink> : null}
        <ButtonLink to="/account/settings">{t('models.profile')}</ButtonLink>
      </div>
    </div>
  );
}

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
