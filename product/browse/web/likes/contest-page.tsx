import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { describedBy } from '#platform/ui/calls/head.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Pager } from '#platform/ui/controls/lists/pager.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Trophy } from 'lucide-react';
import { Link, useLocation, useParams, useSearchParams } from 'react-router';
import { getContest } from '../../client.ts';
import { CONTEST_BOARDS, MAX_CONTEST_PAGES } from '../../rules/popular/likes.ts';
import { FOUR_SECTIONS, sectionNamed } from '../four-sections.ts';
import { Board } from './board.tsx';

const LINK = 'inline-flex min-h-11 items-center rounded-full border border-line px-4 text-sm font-medium '
  + 'hover:bg-raised aria-[current=page]:border-pink aria-[current=page]:bg-raised';

/** The parameters of an address such as `/contests/girls/sodastars/30days?page=2`. */
function askedOf(pathname: string, query: URLSearchParams) {
  const [, , gender = '', contest = '', last] = pathname.split('/');
  const board = CONTEST_BOARDS.find((text) => text === last);
  const page = Number(query.get('page'));
  const isPage = Number.isInteger(page) && page > 1 && page <= MAX_CONTEST_PAGES;
  return { gender, contest, ...(board ? { board } : {}), ...(isPage ? { page } : {}) };
}

const load = routeData({
  texts: ['browse'],
  reads: ({ request }) => {
    const { pathname, searchParams } = new URL(request.url);
    return [read(getContest, askedOf(pathname, searchParams))];
  },
});
export { load as clientLoader, load as loader };
export const handle = describedBy((language) => language.translator('browse')('likes.contestsLead'));

/** The board of a contest, of one gender. */
export default function ContestPage() {
  const { t } = useTranslation('browse');
  const { pathname } = useLocation();
  const { gender, contest = '' } = useParams();
  const [query] = useSearchParams();
  const { data, error, refetch } = useRead(getContest, askedOf(pathname, query));
  const section = sectionNamed(gender) ?? 'girls';
  const base = `/contests/${section}/${contest}`;
  const pathOf = (board: (typeof CONTEST_BOARDS)[number]) => (board === 'month' ? base : `${base}/${board}`);
  const title = t('likes.contest', { contest: data?.title ?? '', who: t(`section.${section}`) });
  return (
    <Wide title={title} lead={t('likes.contestsLead')}>
      <nav aria-label={t('sections')} className="mb-3 flex flex-wrap gap-2">
        {FOUR_SECTIONS.map((text) => (
          <Link
            key={text}
            to={`/contests/${text}/${contest}`}
            className={LINK}
            aria-current={text === section ? 'page' : undefined}
          >
            {t(`section.${text}`)}
          </Link>
        ))}
      </nav>
      {data
        ? (
          <>
            <nav aria-label={t('likes.boards')} className="mb-6 flex flex-wrap gap-2">
              {CONTEST_BOARDS.map((board) => (
                <Link
                  key={board}
                  to={pathOf(board)}
                  className={LINK}
                  aria-current={board === data.board ? 'page' : undefined}
                >
                  {t(`likes.boardName.${board}`)}
                </Link>
              ))}
            </nav>
            {data.places.length === 0
              ? (
                <EmptyState
                  icon={<Trophy size={28} aria-hidden />}
                  text={t('likes.emptyContest')}
                  action={<ButtonLink to="/most-liked">{t('likes.mostLiked')}</ButtonLink>}
                />
              )
              : (
                <>
                  <Board label={t(`likes.boardName.${data.board}`)} places={data.places} />
                  <Pager
                    page={data.page}
                    pages={Math.ceil(data.totalCount / data.perPageCount)}
                    to={(page) => `${pathOf(data.board)}${page === 1 ? '' : `?page=${page}`}`}
                  />
                </>
              )}
          </>
        )
        : error
        ? <ErrorState problem={problemOf(error)} onRetry={() => void refetch()} />
        : <Skeleton className="h-96" />}
    </Wide>
  );
}
