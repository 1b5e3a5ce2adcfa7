import { problemOf, useRead } from '#platform/ui/calls/calls.ts';
import { VisuallyHidden } from '#platform/ui/surfaces/card.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ListingEntryView } from '#product/browse/contract.ts';
import { getRoom } from '#product/rooms/client.ts';
import { Eye } from 'lucide-react';
import { useId } from 'react';
import { CardActions } from './card-actions.tsx';
import { CardVideo, Still } from './card-video.tsx';
import { TipRow } from './tip-row.tsx';

/** How often the card checks whether its performer is still live: it has no socket to the room. */
const LOOK_EVERY_MS = 10_000;
/** What fits in one line. */
const MAX_TAGS = 5;

/**
 * Styles of an article of the feed, shown or not: as high as the scroller, one stop of a swipe. On a phone
 * in landscape the text is beside the video.
 */
export const CARD = 'relative flex h-full snap-start snap-always flex-col phone-landscape:flex-row';

interface CardProps {
  readonly entry: ListingEntryView;
  /** Counts from 1. */
  readonly position: number;
  readonly total: number;
  readonly isShown: boolean;
  readonly onNext: () => void;
  readonly onHidden: () => void;
}

/** One performer of the feed. Only the current card reads the room and plays; the others are inert. */
export function Card({ entry, position, total, isShown, onNext, onHidden }: CardProps) {
  const { t, i18n } = useTranslation('browse');
  const title = useId();
  const { username, displayName } = entry;
  const { data, error, refetch } = useRead(getRoom, { username }, {
    enabled: isShown,
    ...(isShown ? { everyMs: LOOK_EVERY_MS } : {}),
  });
  const room = isShown ? data : undefined;
  const viewers = formatCount(room?.chat.userCount ?? entry.viewerCount, i18n.language);
  const topic = room?.chat.subjectText ?? entry.subjectText;
  const tags = entry.tagList.slice(0, MAX_TAGS).map((tag) => `#${tag}`).join(' ');
  return (
    <article
      aria-labelledby={title}
      aria-posinset={position}
      aria-setsize={total}
      inert={!isShown}
      aria-busy={(isShown && !data && !error) || undefined}
      className={CARD}
    >
      <div className="relative min-h-20 shrink-0 grow basis-0 overflow-hidden bg-black
        [&_video]:object-cover!">
        {isShown
          ? (
            <CardVideo
              entry={entry}
              room={room}
              problem={error ? problemOf(error) : null}
              onRetry={() => void refetch()}
              onNext={onNext}
            />
          )
          : <Still entry={entry} />}
      </div>
      <div className="flex min-h-0 flex-col gap-2 overflow-y-auto bg-surface p-3
        pb-[max(12px,env(safe-area-inset-bottom))] phone-landscape:w-72">
        <div className="flex items-baseline justify-between gap-2">
          <div className="flex min-w-0 items-baseline gap-2">
            <h2 id={title} className="truncate text-base font-bold">
              <Typed>{displayName}</Typed>
            </h2>
            {displayName === username
              ? null
              : <span className="truncate text-xs text-muted">@{username}</span>}
          </div>
          <span className="tabular inline-flex shrink-0 items-center gap-1 text-sm text-muted">
            <Eye size={16} aria-hidden className="self-center" />
            <span aria-hidden>{viewers}</span>
            <VisuallyHidden>{t('viewers', { amount: viewers })}</VisuallyHidden>
          </span>
        </div>
        {topic === '' ? null : (
          <p className="truncate text-sm">
            <Typed>{topic}</Typed>
          </p>
        )}
        {tags === '' ? null : <p className="truncate text-xs text-muted">{tags}</p>}
        <CardActions entry={entry} room={room} onHidden={onHidden} />
        <TipRow username={username} displayName={displayName} />
      </div>
    </article>
  );
}
