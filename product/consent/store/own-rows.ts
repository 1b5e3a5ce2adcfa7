import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'consent.choices',
    owner: 'person_id',
    order: ['id'],
    columns: ['preferences', 'statistics', 'marketing', 'version', 'chosen_in', 'region', 'chosen_at'],
    erase: { keeps: 'that somebody consented, and to what, must be provable (GDPR, article 7)' },
  }),
];
