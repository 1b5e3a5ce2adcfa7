import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** 18 U.S.C. § 2257, and similar laws elsewhere. */
const RECORDS = 'the law asks for records of age and identity of whoever was on air, for years';
/** Admins propose and approve policies in the operator's name. */
const POLICIES = 'the operator has to show which rules visitors met, and who answers for them';

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'compliance.performers',
    owner: 'performer_id',
    order: ['registered_at'],
    columns: ['registered_at', 'status', 'decided_at'],
    erase: { keeps: RECORDS },
  }),
  ownedRows({
    table: 'compliance.clearances',
    owner: 'performer_id',
    order: ['id'],
    columns: ['state', 'decided_at', 'expires_at', 'ended_at'],
    erase: { keeps: RECORDS },
  }),
  ownedRows({
    table: 'compliance.region_policies',
    owner: 'proposed_by',
    order: ['id'],
    columns: ['region', 'from_day', 'rule', 'state', 'proposed_at', 'source', 'note'],
    erase: { keeps: POLICIES },
  }),
  ownedRows({
    table: 'compliance.region_blocks',
    owner: 'performer_id',
    order: ['regions'],
    columns: ['regions'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'compliance.hidden',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['since'],
    erase: 'rows',
  }),
];
