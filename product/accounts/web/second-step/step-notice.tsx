import { useTexts, useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { LogInAgain } from './log-in-again.tsx';
import { StepMissing } from './step-missing.tsx';

/** A notice on each page of staff and performers whose log-in lacks the required second step. */
export default function StepNotice(
  { by, atLogIn }: { readonly by: string; readonly atLogIn: boolean },
) {
  const ready = useTexts('accounts');
  const { t } = useTranslation('accounts');
  if (!ready) return null;
  return (
    <section
      aria-label={t('twoFactor.required')}
      className="flex flex-wrap items-center justify-center gap-x-4 gap-y-2 border-b border-line bg-raised
        px-4 py-2 text-sm"
    >
      <p>
        <StepMissing by={by} atLogIn={atLogIn} />
      </p>
      {atLogIn
        ? <LogInAgain />
        : (
          <Link
            to="/account/settings#two-step"
            className="inline-flex min-h-11 items-center font-medium text-link hover:underline"
          >
            {t('twoFactor.setUp')}
          </Link>
        )}
    </section>
  );
}
