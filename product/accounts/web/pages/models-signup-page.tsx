import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useNavigate } from 'react-router';
import { BecomeForm } from '../become-form.tsx';
import { useMe, useSignedIn } from '../me.ts';
import { PerformerState } from '../performer-state.tsx';
import { RegisterForm } from '../sign-in/register-form.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

const STEPS = ['account', 'clearance', 'live'] as const;

/**
 * Where somebody becomes a performer, with a new account or the one they have. Shows that going live needs a
 * clearance, and which steps are left.
 */
export default function ModelsSignupPage() {
  const { t } = useTranslation('accounts');
  const navigate = useNavigate();
  const signedIn = useSignedIn();
  const me = useMe();
  const isPerformer = me?.user.type === 'model';
  return (
    <Narrow title={t(isPerformer ? 'models.performer' : 'models.title')} lead={t('models.lead')}>
      <ol className="mb-6 flex flex-col gap-2 text-sm text-muted">
        {STEPS.map((step, at) => (
          <li key={step} className="flex gap-3">
            <span
              aria-hidden
              className="tabular inline-flex size-6 shrink-0 items-center justify-center rounded-full
                bg-raised text-xs font-bold text-text"
            >
              {at + 1}
            </span>
            {t(me && step === 'account' ? 'models.steps.own' : `models.steps.${step}`)}
          </li>
        ))}
      </ol>
      {me === null
        ? (
          <RegisterForm
            type="model"
            onLogin="/login?next=%2Fmodels%2Fsignup"
            onDone={async () => {
              await signedIn();
              await navigate('/account/settings', { replace: true });
            }}
          />
        )
        : isPerformer
        ? <PerformerState me={me} />
        : <BecomeForm me={me} />}
    </Narrow>
  );
}
