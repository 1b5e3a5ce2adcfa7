import { queryKeyOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Narrow } from '#platform/ui/surfaces/page.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { QueryClient } from '@tanstack/react-query';
import { LockKeyhole } from 'lucide-react';
import type { LoaderFunctionArgs } from 'react-router';
import { redirectDocument } from 'react-router';
import { listProducts, openCardForm } from '../../client.ts';
import { TestLabel } from '../money.tsx';
import { CardFields } from './card-fields.tsx';
import type { CardForm } from './token-service.ts';

export const loader = routeData({
  texts: ['billing'],
  always: true,
  member: true,
  reads: () => [read(openCardForm, {})],
});
/** The page has its own content policy, so it needs a document of its own. */
export const clientLoader = ({ request }: Pick<LoaderFunctionArgs, 'request'>): never => {
  throw redirectDocument(request.url);
};
/**
 * It connects to our server and to the token service of the opened form; it submits no form and has no
 * frame.
 */
export const handle = {
  always: true,
  policy: (cache: QueryClient) => {
    const form = cache.getQueryData<CardForm>(queryKeyOf(openCardForm, {}));
    return { formsLocked: true, framesLocked: true, connect: form ? [new URL(form.url).origin] : [] };
  },
};

/** Adds a card. The card goes from the browser to the biller, and never to this site's server. */
export default function CardPage() {
  const { t } = useTranslation('billing');
  const { data: form } = useRead(openCardForm, {}, { enabled: false });
  const listing = useRead(listProducts, {});
  return (
    <Narrow title={t('web.cardForm.title')} lead={t('web.cardForm.lead')}>
      <div className="flex flex-col gap-6">
        <ReadError read={listing} />
        {listing.data?.is_test
          ? (
            <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
              <TestLabel /> {t('web.cardForm.testText')}
            </p>
          )
          : null}
        {form ? <CardFields form={form} /> : <Skeleton className="h-64" />}
        <p className="flex items-start gap-3 text-sm text-muted">
          <LockKeyhole size={20} aria-hidden className="shrink-0" />
          {t('web.cardForm.safe', { host: form ? new URL(form.url).host : '' })}
        </p>
      </div>
    </Narrow>
  );
}
