import type { InputOf } from '#platform/contract/call.ts';
import { queryKeyOf, queryOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { pageTools, read, routeData, type RouteHandle } from '#platform/ui/calls/route.ts';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { keep } from '#product/accounts/web/preferences.ts';
import { consent } from '#product/consent/web/consent.ts';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import {
  useLoaderData,
  useSearchParams,
  type LoaderFunctionArgs,
  type RouterContextProvider,
} from 'react-router';
import { getHome, homeCustom, homeSections, logAnalytics } from '../../client.ts';
import type { HomeView } from '../../contract/home.ts';
import { isLayout, LAYOUT_COOKIE, type Layout } from '../../rules/home.ts';
import { listingOf } from '../../rules/listing/listings.ts';
import { hideInput, isFirstScreen } from '../listing/choices.ts';
import { GridSkeleton } from '../listing/grid.tsx';
import { PagedListing } from '../listing/listings.tsx';
import { choicesOf, loadListing, toChosenSection, UNUSED_MS, type Loaded } from '../listing/load.ts';
import { listingHead } from '../seo/listing-head.ts';
import { LayoutSwitch } from './layout-switch.tsx';
import { ForYouRow } from './row.tsx';
import { RowsLayout } from './rows-layout.tsx';
import { useSaveHome } from './save-home.ts';
import { Top, TopSkeleton } from './top.tsx';

type Input = InputOf<typeof getHome>;
type Arguments =
  & Pick<LoaderFunctionArgs, 'params' | 'request'>
  & { readonly context: Readonly<RouterContextProvider> };

/** How often the page refreshes while its tab is visible. */
const REFRESH_MS = 15_000;
const HOME = listingOf('');

/** Input of the page's calls: excludes the genders that this viewer hides. */
const inputOf = (loaded: Pick<Loaded, 'hide'>): Input => hideInput(loaded);

/** The first document waits for its data; in the browser the page shows at once and loads the rest. */
const loadHome = (waits: boolean) => async (args: Arguments) => {
  if (waits) toChosenSection(args);
  const tools = args.context.get(pageTools);
  await tools.texts(['browse']);
  const loaded: Loaded = { ...choicesOf(tools), problem: null };
  if (!(await tools.admitted())) return loaded;
  const input = inputOf(loaded);
  const { cache, call } = tools;
  // The page shows what failed.
  const reading = cache.ensureQueryData(queryOf(call, getHome, input)).catch(() => undefined);
  const known = waits ? await reading : cache.getQueryData<HomeView>(queryKeyOf(getHome, input));
  const chosen = known?.layout ?? tools.cookie(LAYOUT_COOKIE);
  if (!isLayout(chosen) || chosen === 'classic') return loadListing(waits)(args);
  if (waits) {
    await routeData({
      reads: () => [read(chosen === 'custom' ? homeCustom : homeSections, input)],
    })(args);
  }
  return loaded;
};
export const handle: RouteHandle = { banner: 'always', head: listingHead };
export const loader = loadHome(true);
export const clientLoader = loadHome(false);

/** The home page: a featured show, a first row, then everybody, the sections, or the member's own. */
export default function HomePage() {
  const { t } = useTranslation('browse');
  const loaded = useLoaderData<typeof loader>();
  const input = inputOf(loaded);
  const shown = useRead(getHome, input, { everyMs: REFRESH_MS, unusedMs: UNUSED_MS });
  const { data: home, error } = shown;
  const { layout, change } = useLayout(home, input);
  // On later pages, and in a filtered or ordered listing, rows above would show its people twice.
  const isFirst = isFirstScreen(useSearchParams()[0]);
  if (!home && !error) {
    return (
      <Width>
        {isFirst ? <TopSkeleton /> : null}
        <GridSkeleton />
      </Width>
    );
  }
  const action = <LayoutSwitch layout={layout} onChange={change} />;
  const forYou = home?.forYou ? <ForYouRow row={home.forYou} /> : null;
  if (layout !== 'classic') {
    return (
      <Width>
        <RowsLayout
          key={layout}
          layout={layout}
          input={input}
          sectionList={home?.sectionList ?? []}
          action={action}
          forYou={forYou}
        />
      </Width>
    );
  }
  if (!HOME) throw new Error('the home page has no listing');
  return (
    // Tiles are slightly smaller than in other listings, so that enough fit on the first screen.
    <div className="sm:[--tile-min:180px]">
      <Width>
        <ReadError read={shown} failed={t('list.failed')} />
        <Top
          featured={isFirst ? home?.featured ?? null : null}
          section={home?.section ?? null}
          action={action}
        />
        {isFirst ? forYou : null}
      </Width>
      <PagedListing listing={HOME} loaded={loaded} />
    </div>
  );
}

const Width = ({ children }: { readonly children: ReactNode }) => (
  <div className="mx-auto w-full max-w-[1800px] px-3 pt-2 sm:px-6">{children}</div>
);

/** The layout, and changing it: at once and for later visits, for members on every device. */
function useLayout(home: HomeView | undefined, input: Input) {
  const me = useMe();
  const cache = useCache();
  const save = useSaveHome();
  const { run: report } = useAction(logAnalytics);
  const [chosen, setChosen] = useState<Layout | null>(null);
  const isMember = me !== null;
  // A newly saved layout, from here or elsewhere, replaces the one just chosen.
  const saved = home?.layout;
  useEffect(() => setChosen(null), [saved]);
  const change = useCallback((layout: Layout) => {
    setChosen(layout);
    keep(LAYOUT_COOKIE, layout);
    if (consent.allows('statistics')) void report({ event: `browse_layout_change_${layout}` });
    if (isMember) void save({ layout });
    else void cache.invalidateQueries({ queryKey: queryKeyOf(getHome, input) });
  }, [cache, input, isMember, report, save]);
  return { layout: chosen ?? home?.layout ?? 'classic', change };
}
