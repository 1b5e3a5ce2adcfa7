import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Trophy } from 'lucide-react';
import { listContests } from '../../client.ts';
import { FOUR_SECTIONS } from '../four-sections.ts';

const load = routeData({ texts: ['browse'], reads: () => [read(listContests, {})] });
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('likes.contestsLead'));

/** The contests of the site, with a board for each gender. */
export default function ContestsPage() {
  const { t } = useTranslation('browse');
  const { data, error, refetch } = useRead(listContests, {});
  return (
    <Wide title={t('likes.contests')} lead={t('likes.contestsLead')}>
      {!data
        ? error
          ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
          : <Skeleton className="h-40" />
        : data.contests.length === 0
        ? <EmptyState icon={<Trophy size={28} aria-hidden />} text={t('likes.emptyContests')} />
        : data.contests.map(({ slug, title }) => (
          <Card key={slug} className="mb-4 flex flex-col gap-3 p-4">
            <h2 className="text-lg font-bold">{title}</h2>
            <ul className="flex flex-wrap gap-2">
              {FOUR_SECTIONS.map((section) => (
                <li key={section}>
                  <ButtonLink to={`/contests/${section}/${slug}`}>{t(`section.${section}`)}</ButtonLink>
                </li>
              ))}
            </ul>
          </Card>
        ))}
      <p className="mt-6">
        <ButtonLink tone="quiet" to="/most-liked">{t('likes.mostLiked')}</ButtonLink>
      </p>
    </Wide>
  );
}
