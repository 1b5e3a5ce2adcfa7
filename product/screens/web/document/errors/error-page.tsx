import type { Problem } from '#platform/contract/client.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { isRouteErrorResponse } from 'react-router';
import { FaultPage } from './fault-page.tsx';

interface Shown {
  readonly status: number;
  readonly message: string | null;
  readonly reference: string | null;
}

/** What a page can say about an error. Unexpected errors show only their reference. */
export function shownOf(error: unknown): Shown {
  if (!isRouteErrorResponse(error)) return { status: 500, message: null, reference: null };
  const problem = error.data as Partial<Problem> | null;
  const message = typeof problem?.message === 'string' && problem.message !== '' ? problem.message : null;
  return { status: error.status, message, reference: problem?.reference ?? null };
}

const KINDS: Readonly<Record<number, 'notFound' | 'gone' | 'forbidden'>> = {
  403: 'forbidden',
  404: 'notFound',
  410: 'gone',
};

/** What was refused or failed: code, what happened, what to do, reference; otherwise "not found". */
export function ErrorPage({ error }: { error: unknown }) {
  const { t } = useTranslation('screens');
  const { status, message, reference } = shownOf(error);
  const kind = KINDS[status] ?? 'failed';
  const text = (
    <>
      <p className="text-muted">{message ?? t(`error.${kind}.text`)}</p>
      {reference ? <p className="text-xs text-muted">{t('error.reference', { reference })}</p> : null}
    </>
  );
  const said = kind === 'notFound' ? {} : { code: status, message: t(`error.${kind}.title`) };
  return (
    <FaultPage {...said} text={text}>
      {kind === 'failed'
        ? <Button tone="primary" onClick={() => location.reload()}>{t('error.reload')}</Button>
        : null}
      <ButtonLink to="/" tone={kind === 'failed' ? 'secondary' : 'primary'}>{t('error.home')}</ButtonLink>
    </FaultPage>
  );
}
