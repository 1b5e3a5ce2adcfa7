import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { routeData } from '#platform/ui/calls/route.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useConsent } from '#product/consent/web/consent.ts';
import { Link } from 'react-router';
import { getExperiments } from '../../client.ts';

/** Documents are cached and the same for every guest, so the viewer's variants are read afterwards. */
const load = routeData({ texts: ['browse'] });
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('odd.experiments.lead'));

/** The running experiments, and this viewer's variants. */
export default function ExperimentsPage() {
  const { t } = useTranslation('browse');
  const { allowed, isChosen } = useConsent();
  const { data, error, refetch } = useRead(getExperiments, {});
  return (
    <Wide title={t('odd.experiments.title')} lead={t('odd.experiments.lead')}>
      {data
        ? (
          <ul className="flex flex-col gap-3">
            {data.experiments.map(({ name, variant, variants }) => (
              <li key={name}>
                <Card className="p-4">
                  <h2 className="font-bold">{t(`odd.experiments.name.${name}`)}</h2>
                  <p className="mt-1">
                    {t('odd.experiments.variant', {
                      variant: variant.toUpperCase(),
                      variants: variants.length,
                    })}
                  </p>
                </Card>
              </li>
            ))}
            <li>
              <Card className="p-4">
                <h2 className="font-bold">{t('odd.experiments.seoTitle')}</h2>
                <p className="mt-1">
                  {data.seoRooms === 0
                    ? t('odd.experiments.seoEnded')
                    : t('odd.experiments.seoRunning', { count: data.seoRooms })}
                </p>
                <p className="mt-1 text-sm text-muted">{t('odd.experiments.seoHow')}</p>
              </Card>
            </li>
          </ul>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-24" />}
      <p className="mt-4 text-sm text-muted">{t('odd.experiments.how')}</p>
      {isChosen !== null && !allowed.statistics
        ? (
          <p role="note" className="mt-2 text-sm">
            {t('odd.experiments.notCounted')}{' '}
            <Link to="/cookies" className="text-link underline">{t('history.allow')}</Link>
          </p>
        )
        : data
        ? (
          <p className="mt-2 text-sm text-muted">
            {data.bucket === null
              ? t('odd.experiments.noBucket')
              : t('odd.experiments.bucket', { bucket: data.bucket })}
          </p>
        )
        : null}
    </Wide>
  );
}
