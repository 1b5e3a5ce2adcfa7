import type { Layout } from '../rules/home.ts';
import type { FeedKind } from '../rules/popular/feed.ts';
import type { Wording } from '../rules/reports/seo-words.ts';
import type { ThumbKind } from '../rules/reports/trackers.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'browse.feed.kind': FeedKind;
  'browse.home_choices.layout': Layout;
  'browse.seo_visits.wording': Wording;
  'browse.thumb_clicks.kind': ThumbKind;
}
