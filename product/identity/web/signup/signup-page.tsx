import { routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { BecomeForm } from '#product/accounts/web/become-form.tsx';
import { useMe, useSignedIn } from '#product/accounts/web/me.ts';
import { RegisterForm } from '#product/accounts/web/sign-in/register-form.tsx';
import { ApplicationSteps } from './application-steps.tsx';

const wanted = { texts: ['accounts', 'identity'], always: true } as const;
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

const WAY = ['account', 'identity', 'review', 'live'] as const;

/** Where somebody becomes a performer: an account first, then the steps of their application. */
export default function SignupPage() {
  const { t } = useTranslation('accounts');
  const { t: own } = useTranslation('identity');
  const signedIn = useSignedIn();
  const me = useMe();
  if (me?.user.type === 'model') {
    return (
      <Narrow title={own('page.title')} lead={own('page.lead')}>
        <ApplicationSteps me={me} />
      </Narrow>
    );
  }
  return (
    <Narrow title={t('models.title')} lead={own('page.way.lead')}>
      <ol className="mb-6 flex flex-col gap-2 text-sm text-muted">
        {WAY.map((step, at) => (
          <li key={step} className="flex gap-3">
            <span
              aria-hidden
              className="tabular inline-flex size-6 shrink-0 items-center justify-center rounded-full
                bg-raised text-xs font-bold text-text"
            >
              {at + 1}
            </span>
            {me && step === 'account' ? t('models.steps.own') : own(`page.way.${step}`)}
          </li>
        ))}
      </ol>
      {me === null
        ? <RegisterForm type="model" onLogin="/login?next=%2Fmodels%2Fsignup" onDone={signedIn} />
        : <BecomeForm me={me} />}
    </Narrow>
  );
}
