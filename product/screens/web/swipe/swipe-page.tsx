import { problemOf, useAction } from '#platform/ui/calls/calls.ts';
import { pagesOf } from '#platform/ui/calls/pages.ts';
import { pageTools, type PageTools } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink, IconButton } from '#platform/ui/controls/button.tsx';
import { Title } from '#platform/ui/surfaces/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { updateSettings } from '#product/accounts/client.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { showSettings } from '#product/accounts/web/settings/live.ts';
import { browseMore } from '#product/browse/client.ts';
import { listingOf, sectionOfGender } from '#product/browse/rules/listing/listings.ts';
import { GENDER_COOKIE, hideInput, takesHides } from '#product/browse/web/listing/choices.ts';
import { choicesOf } from '#product/browse/web/listing/load.ts';
import { ChevronDown, ChevronUp, Hand, VideoOff } from 'lucide-react';
import { useEffect, useRef, useState, type RefObject } from 'react';
import {
  useLoaderData,
  useNavigate,
  type LoaderFunctionArgs,
  type RouterContextProvider,
} from 'react-router';
import { useVisibleRoom } from '../room/connection/visible-room.ts';
import { PART_TEXTS } from '../room/room-parts.tsx';
import { CARD, Card } from './card/card.tsx';
import { storedSwipe, storeSwipe } from './stored-swipe.ts';
import { SwipeHint } from './swipe-hint.tsx';
import { FEED, FEED_LOAD, useFeed, type Feed, type FeedInput } from './use-feed.ts';
import { useSwiping } from './use-swiping.ts';

export const handle = { bare: true };

const TEXTS = ['browse', 'rooms', 'broadcast', ...PART_TEXTS];

/** Live performers in the section this visitor chose, without the genders they hide. */
function inputFor(tools: PageTools): FeedInput {
  const listing = listingOf(sectionOfGender(tools.cookie(GENDER_COOKIE)));
  return {
    path: listing?.path.slice(1) ?? '',
    perPage: FEED_LOAD,
    ...(listing && takesHides(listing) ? hideInput(choicesOf(tools)) : {}),
  };
}

type Arguments = Pick<LoaderFunctionArgs, 'request'> & { readonly context: Readonly<RouterContextProvider> };

const load = (waits: boolean) => async ({ context }: Arguments): Promise<{ readonly input: FeedInput }> => {
  const tools = context.get(pageTools);
  await tools.texts(TEXTS);
  const input = inputFor(tools);
  if (waits && await tools.admitted()) {
    // On failure the page reads it itself, and shows the error.
    await tools.cache.ensureInfiniteQueryData(pagesOf(tools.call, browseMore, input, FEED))
      .catch((error: unknown) => problemOf(error).status >= 500 && tools.report(error));
  }
  return { input };
};
export const loader = load(true);
export const clientLoader = load(false);

/** Below the header and its line; a column on a desktop. */
const FRAME = 'relative mx-auto flex w-full max-w-[480px] '
  + 'h-[calc(var(--room,100dvh)-var(--around,57px))] '
  + 'flex-col bg-surface md:border-x md:border-line phone-landscape:max-w-none';

/** One live performer after another, to swipe through. */
export default function SwipePage() {
  const { t } = useTranslation('screens');
  const { input } = useLoaderData<typeof loader>();
  return (
    <>
      <Title>{t('swipe.title')}</Title>
      <SwipeFeed key={JSON.stringify(input)} input={input} />
    </>
  );
}

function SwipeFeed({ input }: { input: FeedInput }) {
  const { t } = useTranslation('screens');
  const feed = useFeed(input);
  const frame = useRef<HTMLDivElement>(null);
  useVisibleRoom(frame);
  const { list, at } = feed.cards;
  return (
    <div ref={frame} className={FRAME}>
      <h1 className="sr-only" tabIndex={-1}>{t('swipe.heading')}</h1>
      <p role="status" className="sr-only">
        <Typed>{list[at]?.displayName}</Typed>
      </p>
      {/* A scroller stays with its current card: if that were the end, it would move along with the end. */}
      {list.length === 0 ? <End feed={feed} /> : <CardsScroller feed={feed} frame={frame} />}
    </div>
  );
}

function CardsScroller({ feed, frame }: { feed: Feed; frame: RefObject<HTMLElement | null> }) {
  const { t } = useTranslation('screens');
  const navigate = useNavigate();
  const { cards: { list, at }, show } = feed;
  const scroller = useRef<HTMLDivElement>(null);
  const [byFinger, setByFinger] = useByFinger();
  const shown = list[at];
  const onOpen = () => {
    if (shown) void navigate(`/${shown.username}`);
  };
  useSwiping(frame, scroller, { at, count: list.length, onShow: show, onOpen });
  return (
    <>
      {/* A feed (ARIA APG): its cards are articles, and each is as high as the window of them. */}
      <div
        ref={scroller}
        role="feed"
        aria-label={t('swipe.heading')}
        aria-busy={feed.read.isFetching}
        tabIndex={0}
        className={`min-h-0 grow snap-y snap-mandatory overscroll-contain -outline-offset-2
          [overflow-anchor:none] [scrollbar-width:none] motion-safe:scroll-smooth
          ${byFinger ? 'overflow-y-auto' : 'overflow-y-hidden'}`}
      >
        {list.map((entry, position) => (Math.abs(position - at) > 1
          ? <article key={entry.id} aria-label={entry.displayName} inert className={CARD} />
          : (
            <Card
              key={entry.id}
              entry={entry}
              position={position + 1}
              total={list.length}
              isShown={position === at}
              onNext={() => show(position + 1)}
              onHidden={() => feed.leaveOut(entry.id)}
            />
          ))
        )}
        {/* With more cards the end gets a new key: a viewer at the old end sees the first new card. */}
        <End key={`end ${list.length}`} feed={feed} />
      </div>
      {byFinger && list[1] ? <SwipeHint next={list[1]} wentOn={at > 0} /> : null}
      <div className="absolute top-2 right-2 flex flex-col gap-1 rounded-control bg-surface/80 lg:top-4
        lg:right-auto lg:left-full lg:ml-3 lg:bg-transparent phone-landscape:right-auto
        phone-landscape:left-2">
        <IconButton label={t('swipe.previous')} aria-disabled={at === 0} onClick={() => show(at - 1)}>
          <ChevronUp size={20} aria-hidden />
        </IconButton>
        <IconButton label={t('swipe.next')} aria-disabled={at === list.length} onClick={() => show(at + 1)}>
          <ChevronDown size={20} aria-hidden />
        </IconButton>
        <IconButton label={t('swipe.byFinger')} pressed={byFinger} onClick={() => setByFinger(!byFinger)}>
          <Hand size={20} aria-hidden />
        </IconButton>
      </div>
    </>
  );
}

/** Whether swiping is on: a setting of members, and of a guest's browser. */
function useByFinger(): [boolean, (byFinger: boolean) => void] {
  const account = useMe()?.settings ?? null;
  const { run } = useAction(updateSettings, showSettings);
  const [byFinger, setByFinger] = useState(account?.swipe_to_browse_enabled ?? true);
  const saved = account?.swipe_to_browse_enabled;
  useEffect(() => setByFinger(saved ?? storedSwipe()), [saved]);
  return [byFinger, (next) => {
    setByFinger(next);
    if (account === null) storeSwipe(next);
    else void run({ swipe_to_browse_enabled: next }).then((done) => done ?? setByFinger(!next));
  }];
}

/** After the last card: loading, nobody live, everybody seen, or the error. */
function End({ feed: { cards: { list, at }, read, restart } }: { feed: Feed }) {
  const { t } = useTranslation('screens');
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = read;
  const isShown = at >= list.length;
  if (isFetching || (hasNextPage && !error)) {
    return (
      <article aria-label={t('swipe.loading')} inert={!isShown} className={CARD}>
        <Skeleton className="min-h-0 grow rounded-none" />
        <div role="status" aria-label={t('swipe.loading')} className="flex flex-col gap-2 p-3">
          <Skeleton className="h-6 w-2/3" />
          <Skeleton className="h-11" />
          <Skeleton className="h-11" />
        </div>
      </article>
    );
  }
  const retry = () => void (hasNextPage ? fetchNextPage() : refetch());
  const all = <ButtonLink to="/">{t('swipe.all')}</ButtonLink>;
  const failure = error && (hasNextPage || !data) ? problemOf(error) : null;
  return (
    <article aria-label={t('swipe.title')} inert={!isShown} className={`${CARD} justify-center`}>
      {failure
        ? (
          <ErrorState
            text={failure.message || t('swipe.failed')}
            problem={failure}
            onRetry={retry}
            action={all}
          />
        )
        : list.length === 0
        ? (
          <EmptyState
            icon={<VideoOff size={28} aria-hidden />}
            text={t('browse:empty')}
            action={<Button onClick={() => void refetch()}>{t('browse:refresh')}</Button>}
          />
        )
        : (
          <EmptyState
            text={t('swipe.end')}
            action={
              <div className="flex flex-wrap justify-center gap-3">
                <Button tone="primary" onClick={restart}>{t('swipe.again')}</Button>
                {all}
              </div>
            }
          />
        )}
    </article>
  );
}
