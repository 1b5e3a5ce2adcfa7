import type { ChosenIn } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'consent.choices.chosen_in': ChosenIn;
}
