import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { getImprint } from '../client.ts';
import { DOCUMENT_NAMES } from '../rules.ts';

const load = routeData({ texts: ['legal'], always: true, reads: () => [read(getImprint, {})] });
export { load as clientLoader, load as loader };
export const handle = { always: true };

/** Who runs the site, and the documents that apply. */
export default function LegalPage() {
  const { t } = useTranslation('legal');
  const { data, error, refetch } = useRead(getImprint, {});
  return (
    <Wide title={t('index.title')} lead={t('index.lead')}>
      {data
        ? (
          <div className="flex max-w-prose flex-col gap-6">
            <section>
              <h2 className="font-bold">{t('owner.title', { site: data.site })}</h2>
              <address className="mt-1 not-italic whitespace-pre-line">
                {data.company}
                {'\n'}
                {data.address === '' ? <span className="text-muted">{t('owner.none')}</span> : data.address}
              </address>
            </section>
            <nav aria-labelledby="legal-documents">
              <h2 id="legal-documents" className="font-bold">{t('documents')}</h2>
              <ul className="mt-1">
                {DOCUMENT_NAMES.map((name) => (
                  <li key={name}>
                    <PageLink to={`/${name}`} text={t(`${name}.title`)} />
                  </li>
                ))}
                <li>
                  <PageLink to="/support" text={t('support')} />
                </li>
              </ul>
            </nav>
          </div>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-32" />}
    </Wide>
  );
}

function PageLink({ to, text }: { readonly to: string; readonly text: string }) {
  return <Link to={to} className="inline-flex min-h-11 items-center text-link hover:underline">{text}</Link>;
}
