import type { Json } from '#platform/data/columns.ts';
import type { AgeRange, BrowseRegion, Ethnicity, ScheduledTime, VoyeurRoom } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'performers.listings.region': BrowseRegion;
  'performers.listings.age_range': AgeRange;
  'performers.listings.ethnicity': Ethnicity;
  'performers.listings.voyeur_room': VoyeurRoom;
  'performers.listings.schedule': Json<ScheduledTime[]>;
}
