import { largeAvatar } from '#product/accounts/rules/avatar.ts';
import type { BroadcastService } from '#product/broadcast/server.ts';
import type { ListingEntryView } from '../contract.ts';
import type { DirectoryEntry } from '../rules/listing/entry.ts';
import { isNew } from '../rules/listing/filters.ts';
import { chosenBy, type Taste } from '../rules/listing/for-you.ts';
import { MAX_REASONS, reasonsOf, type Sort } from '../rules/listing/ranking.ts';

/** A performer's tile; `now` in milliseconds. Has reasons only where the ranking ordered. */
export function entryView(
  entry: DirectoryEntry,
  broadcast: Pick<BroadcastService, 'pictureVersion'>,
  now: number,
  sort: Sort = 'recommended',
): ListingEntryView {
  const isOff = entry.startedAt === null;
  return {
    id: entry.id,
    username: entry.username,
    displayName: entry.displayName,
    gender: entry.gender,
    status: isOff ? 'offline' : entry.status,
    subjectText: entry.topic,
    viewerCount: entry.viewerCount,
    languages: [...entry.languages],
    tagList: [...entry.tags],
    thumbUrl: largeAvatar(entry.avatarUrl),
    liveThumbUrl: liveThumbUrl(entry, broadcast),
    isNew: isNew(entry.registeredAt, now),
    flagList: flagsOf(entry, now),
    region: entry.region,
    country: entry.country,
    ageRange: entry.ageRange,
    ethnicity: entry.ethnicity,
    voyeur: entry.voyeur,
    privatePrice: entry.privatePrice,
    spyPrice: entry.spyPrice,
    rating: entry.rating,
    followers: entry.followers,
    reasons: sort === 'recommended' && !isOff ? [...reasonsOf(entry, now)] : [],
    lastLiveAt: isOff && entry.lastLiveAt !== null ? new Date(entry.lastLiveAt).toISOString() : null,
  };
}

/** Tiles change by time alone; up to this age that does not matter. */
const TILE_MS = 1_000;

interface Tile {
  readonly view: ListingEntryView;
  readonly at: number;
}

/**
 * Tiles, built once per change of a performer and shared by all viewers who may perceive them. They are
 * frozen, so that each is also serialized only once.
 */
export class Tiles {
  readonly #broadcast: Pick<BroadcastService, 'pictureVersion'>;
  readonly #ranked = new WeakMap<DirectoryEntry, Tile>();
  readonly #others = new WeakMap<DirectoryEntry, Tile>();

  constructor(broadcast: Pick<BroadcastService, 'pictureVersion'>) {
    this.#broadcast = broadcast;
  }

  of(entry: DirectoryEntry, now: number, sort: Sort): ListingEntryView {
    const tiles = sort === 'recommended' ? this.#ranked : this.#others;
    const known = tiles.get(entry);
    if (
      known && Math.abs(now - known.at) < TILE_MS
      && known.view.liveThumbUrl === liveThumbUrl(entry, this.#broadcast)
    ) return known.view;
    const view = Object.freeze(entryView(entry, this.#broadcast, now, sort));
    tiles.set(entry, { view, at: now });
    return view;
  }
}

/** Tiles of "for you", each with the viewer's own choices before other reasons. */
export const forYouViews = (
  entries: readonly DirectoryEntry[],
  taste: Taste,
  broadcast: Pick<BroadcastService, 'pictureVersion'>,
  now: number,
): ListingEntryView[] =>
  chosenBy(taste, entries).map(({ entry, because }) => {
    const view = entryView(entry, broadcast, now);
    // Being new may be why a newcomer is here, so one reason is left free to say so.
    const own = because.slice(0, view.isNew ? MAX_REASONS - 1 : MAX_REASONS);
    return { ...view, because: [...own], reasons: view.reasons.slice(0, MAX_REASONS - own.length) };
  });

const flagsOf = (entry: DirectoryEntry, now: number): string[] => [
  ...(isNew(entry.registeredAt, now) ? ['new'] : []),
  ...(entry.voyeur === null ? [] : ['voyeur']),
  ...(entry.offersCam2Cam ? ['cam2cam'] : []),
  ...(entry.controlRate === null ? [] : ['control']),
  ...(entry.goal === null ? [] : ['goal']),
  ...(entry.isIndependent ? ['independent'] : []),
];

/** Address of the live thumbnail, while the stream is public and has one. */
function liveThumbUrl(
  { username, stream, status, isLocked }: DirectoryEntry,
  broadcast: Pick<BroadcastService, 'pictureVersion'>,
): string | null {
  if (stream === null || status !== 'online' || isLocked) return null;
  const version = broadcast.pictureVersion(stream);
  return version === null ? null : `/thumbs/t/${encodeURIComponent(username)}?v=${version}`;
}
