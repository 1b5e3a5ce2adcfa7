import { problemOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { VideoOff } from 'lucide-react';
import { useLocation } from 'react-router';
import { browseLive } from '../../client.ts';
import { isOwnNamed, NAMED_LISTINGS, ownName } from '../../rules/listing/named-listings.ts';
import { Grid, useSteady } from '../listing/grid.tsx';
import { listingHead } from '../seo/listing-head.ts';
import { listingNamesIn } from '../seo/site-words.ts';

/** How often the rooms refresh while the tab is visible. */
const REFRESH_MS = 15_000;

const slugOf = (pathname: string): string => pathname.replaceAll('/', '');

export const handle = { head: listingHead };
export const loader = routeData({
  texts: ['browse'],
  reads: ({ request }) => [read(browseLive, { path: slugOf(new URL(request.url).pathname) })],
});
/** The page shows at once, and reports itself when its rooms fail to load. */
export const clientLoader = routeData({ texts: ['browse'] });

/**
 * A page defined by the site: title, subject, and live performers with its tag. All of it is data of the site
 * (`NAMED_LISTINGS`), except that games and esports have their own texts.
 */
export default function CampaignPage() {
  const { t } = useTranslation('browse');
  const slug = slugOf(useLocation().pathname);
  const { data, error, refetch } = useRead(browseLive, { path: slug }, { everyMs: REFRESH_MS });
  const names = listingNamesIn(useCache());
  const { title = isOwnNamed(slug) ? ownName(slug, t, names) : '', tags = [] } =
    NAMED_LISTINGS.find((listing) => listing.slug === slug) ?? {};
  const tag = tags.join(' ');
  return (
    <Wide
      title={slug === 'games' || slug === 'esports' ? t(`odd.title.${slug}`) : title}
      lead={slug === 'games' ? t('odd.games', { tag }) : t('odd.listing', { tag })}
    >
      {data
        ? <Rooms entries={data.userList} />
        : error
        ? (
          <ErrorState
            problem={problemOf(error)}
            text={problemOf(error).message || t('list.failed')}
            onRetry={() => void refetch()}
          />
        )
        : <Skeleton className="h-64" />}
    </Wide>
  );
}

function Rooms({ entries }: { entries: Parameters<typeof useSteady>[0] }) {
  const { t } = useTranslation('browse');
  const shown = useSteady(entries);
  if (shown.length === 0) {
    return (
      <EmptyState
        icon={<VideoOff size={28} aria-hidden />}
        text={t('odd.empty')}
        action={<ButtonLink to="/">{t('odd.emptyAction')}</ButtonLink>}
      />
    );
  }
  return (
    <section aria-label={t('odd.rooms')}>
      <Grid entries={shown} eager />
    </section>
  );
}
