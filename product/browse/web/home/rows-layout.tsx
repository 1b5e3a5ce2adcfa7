import type { InputOf } from '#platform/contract/call.ts';
import { problemOf, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { SlidersHorizontal, VideoOff } from 'lucide-react';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { homeCustom, homeSections } from '../../client.ts';
import type { HomeDataView } from '../../contract/home.ts';
import type { HomeSectionId } from '../../rules/home.ts';
import { Sections } from '../listing/around.tsx';
import { UNUSED_MS } from '../listing/load.ts';
import { homeWords } from '../seo/site-words.ts';
import { Row, RowSkeleton } from './row.tsx';
import { Top, TopSkeleton } from './top.tsx';

const Editor = lazy(() => import('./editor.tsx'));

/** How often the rows refresh while the tab is visible. */
const REFRESH_MS = 15_000;
const SKELETON_ROWS = 3;

interface RowsLayoutProps {
  readonly layout: 'section' | 'custom';
  readonly input: InputOf<typeof homeSections>;
  /** The sections of the member's own home page. */
  readonly sectionList: readonly HomeSectionId[];
  /** Placed at the end of the first line. */
  readonly action: ReactNode;
  /** The row of "for you"; a member's own home page has only the chosen sections. */
  readonly forYou: ReactNode;
}

/** The home page by rows: the site's sections, or the member's own. */
export function RowsLayout({ layout, input, sectionList, action, forYou }: RowsLayoutProps) {
  const { t } = useTranslation('browse');
  const { data, error, refetch } = useRead(layout === 'custom' ? homeCustom : homeSections, input, {
    everyMs: REFRESH_MS,
    unusedMs: UNUSED_MS,
  });
  const problem = error ? problemOf(error) : null;
  const heading = homeWords(useCache()).h1_content ?? data?.seo.h1 ?? t('listing.home.title');
  return (
    <div className="flex flex-col gap-3 pb-8">
      <Title>{heading}</Title>
      <Heading hidden>{heading}</Heading>
      <Sections />
      {data ? <Top featured={data.featured} section={data.sections[0] ?? null} action={action} /> : problem
        ? (
          <>
            <div className="flex justify-end">{action}</div>
            <ErrorState
              text={problem.message || t('list.failed')}
              problem={problem}
              onRetry={() => void refetch()}
            />
          </>
        )
        : <RowsSkeleton />}
      {data && layout === 'section' ? forYou : null}
      {data ? <Rows data={data} isOwn={layout === 'custom'} hasSections={sectionList.length > 0} /> : null}
      {layout === 'custom' ? <OwnSections sections={sectionList} /> : null}
    </div>
  );
}

function RowsSkeleton() {
  const { t } = useTranslation('browse');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-3">
      <TopSkeleton />
      {Array.from({ length: SKELETON_ROWS }, (_, at) => <RowSkeleton key={at} />)}
    </div>
  );
}

/** The rows below the first one; or why there are none. */
function Rows({ data: { featured, sections }, isOwn, hasSections }: {
  readonly data: HomeDataView;
  readonly isOwn: boolean;
  readonly hasSections: boolean;
}) {
  const { t } = useTranslation('browse');
  if (featured === null) return <Nobody />;
  if (sections.length === 0) {
    const text = isOwn && !hasSections ? t('home.noneChosen') : t('home.noSections');
    return <EmptyState icon={<VideoOff size={28} aria-hidden />} text={text} />;
  }
  return sections.slice(1).map((section) => (
    <Row key={`${section.id} ${section.value ?? ''}`} section={section} />
  ));
}

/** Nobody is live: what will be here, and what to do meanwhile. */
function Nobody() {
  const { t } = useTranslation('browse');
  const isPerformer = useMe()?.user.type === 'model';
  return (
    <EmptyState
      icon={<VideoOff size={28} aria-hidden />}
      text={t('home.nobody')}
      action={
        <ButtonLink to={isPerformer ? '/go-live' : '/models/signup'}>
          {t(isPerformer ? 'home.goLive' : 'home.becomePerformer')}
        </ButtonLink>
      }
    />
  );
}

/** Opens the editor of the member's own sections; guests log in first. */
function OwnSections({ sections }: { readonly sections: readonly HomeSectionId[] }) {
  const { t } = useTranslation('browse');
  const me = useMe();
  const ask = useLoginPrompt();
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    if (me !== null || await ask('plain')) setOpen(true);
  };
  return (
    <div className="flex justify-center pt-2">
      <Button icon={<SlidersHorizontal size={18} aria-hidden />} onClick={() => void open()}>
        {t('home.edit')}
      </Button>
      {isOpen
        ? (
          <Suspense>
            <Editor sections={sections} onClose={() => setOpen(false)} />
          </Suspense>
        )
        : null}
    </div>
  );
}
