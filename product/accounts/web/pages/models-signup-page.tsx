import { useNavigate } from 'react-router';
import { routeData } from '../../../../platform/ui/calls/route.ts';
import { Narrow } from '../../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useSignedIn } from '../me.ts';
import { RegisterForm } from '../sign-in/register-form.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

/** The sign-up page of performers. It says that they need a clearance before they go live. */
export default function ModelsSignupPage() {
  const { t } = useTranslation('accounts');
  const navigate = useNavigate();
  const signedIn = useSignedIn();
  return (
    <Narrow title={t('models.title')} lead={t('models.lead')}>
      <ol className="mb-6 flex flex-col gap-2 text-sm text-muted">
        {(['account', 'clearance', 'live'] as const).map((step, at) => (
          <li key={step} className="flex gap-3">
            <span aria-hidden
              className="tabular inline-flex size-6 shrink-0 items-center justify-center rounded-full
                bg-raised text-xs font-bold text-text">
              {at + 1}
            </span>
            {t(`models.steps.${step}`)}
          </li>
        ))}
      </ol>
      <RegisterForm
        type="model" onLogin="/login"
        onDone={async () => {
          await signedIn();
          await navigate('/account/settings', { replace: true });
        }}
      />
    </Narrow>
  );
}
