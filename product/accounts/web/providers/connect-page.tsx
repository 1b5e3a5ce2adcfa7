import type { OutputOf } from '#platform/contract/call.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { finishProvider } from '../../client.ts';
import { returnPath, useGoOn, useSignedIn } from '../me.ts';
import { RegisterForm } from '../sign-in/register-form.tsx';
import { useSuspendedProblem } from '../sign-in/suspended.ts';
import { welcomePath } from '../welcome.ts';
import { ProviderNext, type NextOutcome } from './provider-next.tsx';

export const loader = routeData({ texts: ['accounts'], always: true });
export const clientLoader = routeData({ texts: ['accounts'], always: true });
export const handle = { always: true };

type Named = OutputOf<typeof finishProvider>;
type Ended = Pick<Named, 'provider' | 'next'> & { readonly outcome: Named['outcome'] | NextOutcome };
const PATH = '/free-register/connect';

/**
 * Free registration: by an account at another provider, which sends browsers back here, or by the usual form.
 */
export default function ConnectPage() {
  const [query] = useSearchParams();
  // The document may be rendered for the path without its query, so the query is read in the browser.
  const [back, setBack] = useState<string | null>(null);
  useEffect(() => {
    if (new URLSearchParams(location.search).has('state')) setBack(location.search.slice(1));
  }, []);
  const again = () => setBack(null);
  return back === null
    ? <FreeRegistration next={query.get('next')} />
    : <Back query={back} onAgain={again} />;
}

function FreeRegistration({ next }: { readonly next: string | null }) {
  const { t } = useTranslation('accounts');
  const goOn = useGoOn();
  return (
    <Narrow title={t('connect.title')} lead={t('connect.leadPlain')}>
      <RegisterForm
        type="user"
        next={next}
        onLogin={next === null ? '/login' : `/login?next=${encodeURIComponent(next)}`}
        onDone={() => goOn(welcomePath(next))}
      />
    </Narrow>
  );
}

/** After a provider: logs in, or asks for what is missing. */
function Back({ query, onAgain }: { readonly query: string; readonly onAgain: () => void }) {
  const { t } = useTranslation('accounts');
  const toast = useToast();
  const navigate = useNavigate();
  const signedIn = useSignedIn();
  const { run, problem } = useAction(finishProvider);
  useSuspendedProblem(problem);
  const [named, setNamed] = useState<Named | null>(null);
  const done = async ({ provider, outcome, next }: Ended) => {
    await signedIn();
    if (outcome === 'linked') {
      toast(t('connect.linked', { provider: t(`providers.${provider}`) }), 'success');
    }
    await navigate(returnPath(outcome === 'signed_up' ? welcomePath(next) : next), { replace: true });
  };
  const latest = useRef(done);
  useEffect(() => {
    latest.current = done;
  });
  const isSent = useRef(false);
  useEffect(() => {
    if (isSent.current) return;
    isSent.current = true;
    // The code is used up, and must not stay in the history.
    void navigate(PATH, { replace: true });
    void run({ query }).then(async (answer) => {
      if (!answer) return;
      if (answer.outcome === 'logged_in' || answer.outcome === 'linked') await latest.current(answer);
      else setNamed(answer);
    });
  }, [navigate, query, run]);
  if (named) return <ProviderNext named={named} onDone={(outcome) => done({ ...named, outcome })} />;
  return (
    <Narrow title={t('connect.title')}>
      {problem
        ? (
          <div className="flex flex-col gap-4">
            <FormError problem={problem} />
            <div>
              <Button tone="primary" onClick={onAgain}>{t('connect.retry')}</Button>
            </div>
          </div>
        )
        : (
          <div aria-busy className="flex flex-col gap-4">
            <p role="status">{t('connect.working')}</p>
            <Skeleton className="h-24" />
          </div>
        )}
    </Narrow>
  );
}
