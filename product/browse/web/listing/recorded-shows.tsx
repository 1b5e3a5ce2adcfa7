import { useReadPages } from '#platform/ui/calls/pages.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Avatar, Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { clockText } from '#platform/ui/text/measures.ts';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Film } from 'lucide-react';
import { Link } from 'react-router';
import { getModelShows } from '../../client.ts';
import type { ModelShowView } from '../../contract.ts';
import type { Listing } from '../../rules/listing/listings.ts';

/** Recorded ticket shows of a section, newest first. */
export default function RecordedShows(
  { gender, heading }: Pick<Listing, 'gender'> & { readonly heading: string },
) {
  const { t } = useTranslation('browse');
  const read = useReadPages(getModelShows, { type: 'react', ...(gender === null ? {} : { gender }) });
  return (
    <section aria-label={heading} className="pb-6">
      <p className="max-w-prose pb-4 text-sm text-muted">{t('recorded.how')}</p>
      <Loaded read={read} height="h-48" failed={t('list.failed')}>
        {({ pages }) => {
          const shows = pages.flatMap((page) => page.shows);
          // This page may have no show of the section, while later pages do.
          if (shows.length === 0 && pages.at(-1)?.next === null) {
            return <EmptyState icon={<Film size={28} aria-hidden />} text={t('recorded.none')} />;
          }
          return (
            <>
              {shows.length === 0
                ? null
                : (
                  <ul aria-label={heading} className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
                    {shows.map((show) => <RecordedShow key={show.id} show={show} />)}
                  </ul>
                )}
              <MorePages read={read} failed={t('list.failed')} />
            </>
          );
        }}
      </Loaded>
      <h2 className="pt-6 text-base font-bold">{t('recorded.now')}</h2>
    </section>
  );
}

function RecordedShow({ show }: { readonly show: ModelShowView }) {
  const { t } = useTranslation('browse');
  const { performer: { username, displayName: name, thumbUrl, hasTicketShow } } = show;
  return (
    <li>
      <Card className="flex h-full flex-col gap-3 p-4">
        <Link to={`/${username}`} className="flex min-w-0 items-center gap-3 hover:text-link">
          <Avatar name={name} url={thumbUrl} size={50} />
          <span className="truncate font-bold">
            <Typed>{name}</Typed>
          </span>
        </Link>
        <p className="min-w-0 grow break-words">
          <Typed>{show.limited_message}</Typed>
        </p>
        <p className="tabular flex flex-wrap gap-x-3 text-sm text-muted">
          <RelativeTime at={show.started_at} />
          <span>{clockText(show.seconds)}</span>
          <TokenAmount tokens={show.recording_price} />
        </p>
        {hasTicketShow
          ? (
            <p>
              <Pill tone="private">{t('recorded.next')}</Pill>
            </p>
          )
          : null}
        {show.may_watch
          ? (
            <ButtonLink tone="primary" to={`/account/shows/recordings/${show.id}`}>
              {t('recorded.watch')}
            </ButtonLink>
          )
          : (
            <ButtonLink to={`/${username}`}>
              {t(hasTicketShow ? 'recorded.toShow' : 'recorded.toRoom')}
            </ButtonLink>
          )}
      </Card>
    </li>
  );
}
