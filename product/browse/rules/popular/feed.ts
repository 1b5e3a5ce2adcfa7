import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';

/** Kinds of items. Pictures of performers follow with the slice that sells them. */
export const FEED_KINDS = ['live', 'post'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

export const FEED_PAGE = 20;
/** Items of one gender that a feed goes back at most, whoever may see them. */
export const FEED_DEPTH = 1_000;
export const MAX_FEED_PAGES = FEED_DEPTH / FEED_PAGE;
/** Older items say nothing about now. */
export const FEED_MS = 30 * DAY_MS;
/** Who goes live again so soon, after a lost connection or a break, is in the feed once. */
export const FEED_GAP_MS = 30 * MINUTE_MS;
