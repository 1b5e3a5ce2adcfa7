import type { CallHandler } from '#platform/contract/bind.ts';
import type { Browsing } from '../dependencies.ts';
import { embedHandlers } from './embeds.ts';
import { liveFeedHandlers } from './feeds.ts';
import { shareImageHandler } from './share-image.ts';
import { sitemapHandlers } from './sitemap.ts';

/** What other programs and sites read: sitemap, feeds, calendars, embeds, images. */
export const sharingHandlers = (browsing: Browsing): CallHandler[] => [
  ...sitemapHandlers(browsing),
  ...liveFeedHandlers(browsing),
  ...embedHandlers(browsing),
  shareImageHandler(browsing),
];
