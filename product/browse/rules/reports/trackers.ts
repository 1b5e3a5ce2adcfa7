import { DAY_MS } from '#platform/time/units.ts';
import { HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';

/** Thumbnails whose clicks are counted: live thumbnails and those the performer picked (spec 2 §5). */
const TRACKED = [['t', '/thumbs/t/'], ['picked', '/thumbs-picked/']] as const;
export const THUMB_KINDS = ['t', 'picked'] as const;
export type ThumbKind = (typeof THUMB_KINDS)[number];

/** No thumbnail has a longer address. */
export const MAX_THUMB_URL = 300;

export const isTrackedThumb = (url: string): boolean => TRACKED.some(([, part]) => url.includes(part));

/** The part of an address that the tracker receives: the path without host, query and extension. */
export function trackedPath(url: string): string | null {
  if (!isTrackedThumb(url)) return null;
  const path = url.replace(/^[a-z]+:\/\/[^/]+/u, '').replace(/[?#].*$/u, '');
  return path.replace(/\.[a-z0-9]{1,5}$/u, '').slice(0, MAX_THUMB_URL);
}

/** The performer and kind of a thumbnail; the username follows the folder. */
export function thumbOf(path: string): { readonly kind: ThumbKind; readonly username: string } | null {
  for (const [kind, part] of TRACKED) {
    const at = path.indexOf(part);
    const username = at < 0 ? '' : path.slice(at + part.length).split('/')[0] ?? '';
    if (username !== '') return { kind, username };
  }
  return null;
}

/** What pages may report about themselves; anything else is refused, to limit the number of counts. */
export const PAGE_EVENTS = HOME_LAYOUTS.map((layout) => `browse_layout_change_${layout}` as const);
/** Days of counts that are retained and shown. */
export const EVENT_DAYS = 90;
export const EVENTS_MS = EVENT_DAYS * DAY_MS;
/** Thumbnails shown to admins, those with most clicks first. */
export const SHOWN_THUMBS = 100;
