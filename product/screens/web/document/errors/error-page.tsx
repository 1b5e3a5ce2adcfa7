import { isRouteErrorResponse } from 'react-router';
import type { Problem } from '../../../../../platform/contract/client/client.ts';
import { ButtonLink, Button } from '../../../../../platform/ui/controls/button.tsx';
import { Heading, Title } from '../../../../../platform/ui/surfaces/page.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';

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

/** Error pages: not found, refused, failed. Code, what happened, what to do, reference. */
export function ErrorPage({ error }: { error: unknown }) {
  const { t } = useTranslation('screens');
  const { status, message, reference } = shownOf(error);
  const kind = status === 404 ? 'notFound' : status === 403 ? 'forbidden' : 'failed';
  return (
    <div className="mx-auto flex w-full max-w-md flex-col items-start gap-4 px-4 py-16">
      <Title>{t(`error.${kind}.title`)}</Title>
      <p className="text-2xl font-bold text-accent">{status}</p>
      <Heading>{t(`error.${kind}.title`)}</Heading>
      <p className="text-muted">{message ?? t(`error.${kind}.text`)}</p>
      {reference ? <p className="text-xs text-muted">{t('error.reference', { reference })}</p> : null}
      <div className="flex flex-wrap gap-3">
        {kind === 'failed' ? (
          <Button tone="primary" onClick={() => location.reload()}>{t('error.reload')}</Button>
        ) : null}
        <ButtonLink to="/" tone={kind === 'failed' ? 'secondary' : 'primary'}>{t('error.home')}</ButtonLink>
      </div>
    </div>
  );
}
