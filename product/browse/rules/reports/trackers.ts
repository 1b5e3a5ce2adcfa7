import { DAY_MS } from '#platform/time/units.ts';
import { HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';

/** Thumbnails whose clicks are counted: those of the moment, and those the performer picked (spec 2 §5). */
const TRACKED = [['t', '/thumbs/t/'], ['picked', '/thumbs-picked/']] as const;
export const THUMB_KINDS = ['t', 'picked'] as const;
export type ThumbKind = (typeof THUMB_KINDS)[number];

/** Longer addresses are no thumbnail's. */
export const MAX_THUMB_URL = 300;

export const isTrackedThumb = (url: string): boolean => TRACKED.some(([, part]) => url.includes(part));

/** What the tracker is sent of an address: its path without host, query and extension. */
export function trackedPath(url: string): string | null {
  if (!isTrackedThumb(url)) return null;
  const path = url.replace(/^[a-z]+:\/\/[^/]+/u, '').replace(/[?#].*$/u, '');
  return path.replace(/\.[a-z0-9]{1,5}$/u, '').slice(0, MAX_THUMB_URL);
}

/** Whose thumbnail of which kind: the username follows the folder. */
export function thumbOf(path: string): { readonly kind: ThumbKind; readonly username: string } | null {
  for (const [kind, part] of TRACKED) {
    const at = path.indexOf(part);
    const username = at < 0 ? '' : path.slice(at + part.length).split('/')[0] ?? '';
    if (username !== '') return { kind, username };
  }
  return null;
}

/** What pages may report of themselves; everything else is refused, so that counts stay few. */
export const PAGE_EVENTS = HOME_LAYOUTS.map((layout) => `browse_layout_change_${layout}` as const);
/** Days of counts that are retained and shown. */
export const EVENT_DAYS = 90;
export const EVENTS_MS = EVENT_DAYS * DAY_MS;
/** Thumbnails shown to admins, most clicked first. */
export const SHOWN_THUMBS = 100;
