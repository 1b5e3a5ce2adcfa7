import { keyOf } from '#platform/text/message-keys.ts';
import { Pill, VisuallyHidden, type PillTone } from '#platform/ui/surfaces/card.tsx';
import { formatCount, TokenGlyph } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Eye } from 'lucide-react';
import { memo, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { Link } from 'react-router';
import type { BrowseDataView } from '../contract.ts';
import { useThumbTracker } from './tiles/thumb-tracker.ts';
import { TileMore } from './tiles/tile-more.tsx';

export type Entry = BrowseDataView['userList'][number];

/** Maximum languages on a tile; more would cover the image. */
const MAX_LANGUAGES = 3;
/** Maximum tags on a tile: one line. */
const MAX_TAGS = 3;

const PILLS: Readonly<Partial<Record<Entry['status'], readonly [PillTone, string]>>> = {
  online: ['live', 'live'],
  online_ai: ['live', 'live'],
  private: ['private', 'private'],
  limited: ['private', 'ticket'],
  reconnecting: ['quiet', 'reconnecting'],
  connected: ['quiet', 'reconnecting'],
  standby: ['quiet', 'standby'],
  offline: ['quiet', 'offline'],
};

/** A tile in a grid with arrow keys. The functions are stable, so that other tiles do not render again. */
export interface TileKeys {
  /** Tab stops at this tile of the grid. */
  readonly isStop: boolean;
  /** Called with the id of the entry. */
  readonly onFocus: (id: number) => void;
  readonly onKeyDown: (press: KeyboardEvent<HTMLElement>) => void;
}

interface TileProps extends Partial<TileKeys> {
  readonly entry: Entry;
  readonly eager: boolean;
  /** Position in a ranking. */
  readonly rank?: number | undefined;
}

/**
 * One performer of a listing: image, status, name, topic, price, viewers, languages, tags. The whole tile is
 * the link, and other actions are behind one button. A refresh renders only tiles whose entry changed.
 */
export const Tile = memo(function Tile({ entry, eager, rank, isStop, onFocus, onKeyDown }: TileProps) {
  const track = useThumbTracker();
  const stop = isStop === false ? { tabIndex: -1 } : {};
  const onClick = ({ currentTarget }: MouseEvent<HTMLElement>) =>
    track(currentTarget.querySelector('img')?.getAttribute('src') ?? null);
  return (
    // A stacking context of its own lets the browser reuse its painting while the page scrolls.
    <article className="group relative isolate">
      <Link
        to={`/${entry.username}`}
        data-tile=""
        {...stop}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onFocus={() => onFocus?.(entry.id)}
        data-preview={entry.liveThumbUrl === null ? undefined : entry.username}
        className="relative block aspect-4/3 overflow-hidden rounded-card bg-raised outline-offset-2
          select-none [-webkit-touch-callout:none]"
      >
        <Picture entry={entry} eager={eager} />
        <Pills entry={entry} rank={rank} />
        <Texts entry={entry} />
      </Link>
      <TileMore entry={entry} {...stop} />
    </article>
  );
});

/** State, price per minute where there is one, and other distinguishing facts. */
function Pills({ entry, rank }: Pick<TileProps, 'entry' | 'rank'>) {
  const { t, i18n } = useTranslation('browse');
  const [tone, state] = PILLS[entry.status] ?? ['quiet', 'offline'];
  const price = entry.status === 'private' ? entry.spyPrice ?? entry.privatePrice : null;
  return (
    <span className="absolute inset-x-2 top-2 flex flex-wrap gap-1 pr-10">
      {rank === undefined ? null : (
        <Pill>
          <span aria-hidden>{`#${formatCount(rank, i18n.language)}`}</span>
          <VisuallyHidden>{t('tile.rank', { rank: formatCount(rank, i18n.language) })}</VisuallyHidden>
        </Pill>
      )}
      <Pill tone={tone}>
        {t(keyOf('browse', 'state', state))}
        {price === null ? null : (
          <>
            <Price tokens={price} />
            <VisuallyHidden>{t('tile.price', { amount: formatCount(price, i18n.language) })}</VisuallyHidden>
          </>
        )}
      </Pill>
      {entry.isNew ? <Pill>{t('state.new')}</Pill> : null}
      {entry.voyeur === null ? null : <Pill>{t('state.voyeur')}</Pill>}
    </span>
  );
}

/** A price per minute, for sighted viewers. */
function Price({ tokens }: { tokens: number }) {
  const { t, i18n } = useTranslation('browse');
  return (
    <span aria-hidden className="tabular inline-flex items-center gap-0.5 whitespace-nowrap">
      <TokenGlyph className="size-3.5 text-current!" />
      {t('tile.perMinute', { amount: formatCount(tokens, i18n.language) })}
    </span>
  );
}

/** Texts over the lower edge of the image. */
function Texts({ entry }: { entry: Entry }) {
  const { t, i18n } = useTranslation('browse');
  const viewers = formatCount(entry.viewerCount, i18n.language);
  const tags = entry.tagList.slice(0, MAX_TAGS);
  const languages = entry.languages.slice(0, MAX_LANGUAGES);
  const price = entry.status === 'private' ? null : entry.privatePrice;
  const spoken = [
    ...(entry.status === 'offline' ? [] : [t('viewers', { amount: viewers })]),
    ...languageNames(languages, i18n.language),
    ...(price === null ? [] : [t('tile.price', { amount: formatCount(price, i18n.language) })]),
  ];
  return (
    <span className="absolute inset-x-0 bottom-0 flex flex-col bg-linear-to-t from-black/90 via-black/65
        via-45% to-transparent px-2 pt-6 pb-2 text-white sm:px-3">
      <span className="flex items-center justify-between gap-2">
        <span className="truncate text-sm font-bold sm:text-base">
          <Typed>{entry.displayName}</Typed>
        </span>
        {entry.status === 'offline'
          ? null
          : (
            <span className="tabular inline-flex shrink-0 items-center gap-1 text-xs font-medium">
              <Eye size={14} aria-hidden />
              <span aria-hidden>{viewers}</span>
            </span>
          )}
      </span>
      <span className="flex items-center justify-between gap-2 text-xs">
        <span className="truncate">
          <Typed>{entry.subjectText}</Typed>
        </span>
        {languages.length === 0
          ? null
          : <span aria-hidden className="shrink-0 uppercase">{languages.join(' ')}</span>}
      </span>
      {tags.length === 0 && entry.privatePrice === null ? null : (
        // The image shows what viewers choose by; the rest appears on hover or focus.
        <span className="hidden items-center justify-between gap-2 text-xs text-white/85
          group-focus-within:flex pointer-fine:group-hover:flex">
          <span className="truncate">{tags.map((tag) => `#${tag}`).join(' ')}</span>
          {price === null ? null : (
            <span className="shrink-0">
              <Price tokens={price} />
            </span>
          )}
        </span>
      )}
      {
        /* One text for screen readers, in normal flow: a positioned or clipped one is painted separately,
          which was half of all painting while scrolling. */
      }
      {spoken.length === 0
        ? null
        : <span className="-m-px size-px overflow-hidden whitespace-nowrap">{spoken.join(', ')}</span>}
    </span>
  );
}

/** The live thumbnail, else the portrait, else the first letter of the name. */
function Picture({ entry, eager }: Pick<TileProps, 'entry' | 'eager'>) {
  const [broken, setBroken] = useState<readonly string[]>([]);
  const src = [entry.liveThumbUrl, entry.thumbUrl].find((url) => url !== null && !broken.includes(url));
  if (!src) {
    return (
      <span
        aria-hidden
        className="flex size-full items-center justify-center pb-8 text-2xl font-bold text-muted"
      >
        {entry.displayName[0]?.toUpperCase()}
      </span>
    );
  }
  return (
    <img
      src={src}
      alt=""
      width={480}
      height={360}
      decoding="async"
      loading={eager ? 'eager' : 'lazy'}
      fetchPriority={eager ? 'high' : 'auto'}
      onError={() => setBroken([...broken, src])}
      className="size-full object-cover transition-transform duration-200 group-hover:scale-103"
    />
  );
}

/** Language names for screen readers, as tiles show only codes; a flag would mean a country. */
function languageNames(codes: readonly string[], language: string): readonly string[] {
  if (codes.length === 0) return [];
  const names = new Intl.DisplayNames(language, { type: 'language', fallback: 'code' });
  return codes.map((code) => nameOf(names, code));
}

/** The name of a language, or the code itself if it is not a language tag. */
export function nameOf(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
