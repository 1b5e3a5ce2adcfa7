import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'compliance.performers', owner: 'performer_id', order: ['registered_at'],
    columns: ['registered_at', 'status', 'decided_at'],
  }),
  ownedRows({
    table: 'compliance.clearances', owner: 'performer_id', order: ['id'],
    columns: ['state', 'decided_at', 'expires_at', 'ended_at'],
  }),
  ownedRows({
    table: 'compliance.region_blocks', owner: 'performer_id', order: ['regions'],
    columns: ['regions'],
  }),
  ownedRows({
    table: 'compliance.hidden', owner: 'performer_id', order: ['performer_id'], columns: ['since'],
  }),
];
