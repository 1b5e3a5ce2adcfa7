import type { Topic } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'support.requests.topic': Topic;
}
