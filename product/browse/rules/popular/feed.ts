import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Kinds of items. Performers' images will be added by the slice that sells them. */
export const FEED_KINDS = ['live', 'post'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

export const FEED_PAGE = 20;
/** Maximum items in the feed of one gender, before it is filtered by viewer. */
export const FEED_DEPTH = 1_000;
export const MAX_FEED_PAGES = FEED_DEPTH / FEED_PAGE;
/** Maximum age: older items say nothing about now. */
export const FEED_MS = 30 * DAY_MS;
/** Going live again within this time, after a lost connection or a break, adds no second item. */
export const FEED_GAP_MS = 30 * MINUTE_MS;
