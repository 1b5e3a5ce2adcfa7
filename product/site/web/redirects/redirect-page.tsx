import type { OutputOf } from '#platform/contract/call.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { buttonClass, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { verifyRedirect } from '../../client.ts';

export const loader = routeData({ texts: ['site'], always: true });
export const clientLoader = routeData({ texts: ['site'], always: true });
export const handle = { always: true };

type Answer = OutputOf<typeof verifyRedirect>;

/**
 * Follows a redirect key. The browser verifies it, once: programs that only open links use up nothing. To
 * another site leads a button under its name, never the page by itself.
 */
export default function RedirectPage() {
  const { t } = useTranslation('site');
  const { key = '' } = useParams();
  const { output, problem, run } = useVerified(key);
  const navigate = useNavigate();
  const path = output?.verified && output.host === null ? output.target : null;
  useEffect(() => {
    if (path !== null) void navigate(path, { replace: true });
  }, [path, navigate]);
  if (problem) {
    return (
      <Narrow title={t('redirect.title')}>
        <ErrorState
          problem={{ ...problem, message: problem.message || t('redirect.failed') }}
          onRetry={run}
        />
      </Narrow>
    );
  }
  if (!output || path !== null) {
    return (
      <Narrow title={t(path === null ? 'redirect.title' : 'redirect.verifiedTitle')}>
        <div role="status" aria-busy aria-label={t('redirect.title')}>
          <Skeleton className="h-32" />
        </div>
      </Narrow>
    );
  }
  return output.verified && output.target !== null && output.host !== null
    ? <Leaving target={output.target} host={output.host} />
    : <Dead />;
}

/** Verifies a key once, and again when asked to. */
function useVerified(key: string) {
  const { run: verify, problem } = useAction(verifyRedirect);
  const [output, setOutput] = useState<Answer | null>(null);
  const verified = useRef<string | null>(null);
  const run = useCallback(async () => setOutput(await verify({ key })), [verify, key]);
  useEffect(() => {
    // A second use would be counted when the effect runs again.
    if (verified.current === key) return;
    verified.current = key;
    void run();
  }, [key, run]);
  return { output, problem, run: () => void run() };
}

/** The way to another site, which its person takes by themselves. */
function Leaving({ target, host }: { readonly target: string; readonly host: string }) {
  const { t } = useTranslation('site');
  return (
    <Narrow title={t('redirect.leavingTitle')} lead={t('redirect.leavingText')}>
      <p className="mb-6 rounded-control border border-line bg-surface px-4 py-3 font-mono text-sm
          wrap-anywhere">
        {target}
      </p>
      <div className="flex flex-col gap-3">
        <a href={target} rel="noreferrer" className={`${buttonClass('primary', true)} wrap-anywhere`}>
          {t('redirect.continue', { host })}
        </a>
        <ButtonLink to="/" wide>{t('redirect.stay')}</ButtonLink>
      </div>
    </Narrow>
  );
}

/** What to do about a link that leads nowhere, whatever the reason. */
function Dead() {
  const { t } = useTranslation('site');
  return (
    <Narrow title={t('redirect.deadTitle')} lead={t('redirect.deadText')}>
      <div className="flex flex-col gap-3">
        <ButtonLink to="/" tone="primary" wide>{t('redirect.home')}</ButtonLink>
        <ButtonLink to="/support" wide>{t('redirect.support')}</ButtonLink>
      </div>
    </Narrow>
  );
}
