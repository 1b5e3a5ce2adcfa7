import { ownedRows, type OwnedRows } from '../../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'browse.views', owner: 'viewer_id', order: ['performer_id'], people: ['performer_id'],
    columns: ['performer_id', 'first_at', 'last_at', 'seconds'],
  }),
  ownedRows({
    table: 'browse.learned_performers', owner: 'viewer_id', order: ['performer_id'], people: ['performer_id'],
    columns: ['performer_id', 'seconds'],
  }),
  ownedRows({
    table: 'browse.learned_tags', owner: 'viewer_id', order: ['tag'],
    columns: ['tag', 'seconds'],
  }),
  ownedRows({
    table: 'browse.likes', owner: 'liker_id', order: ['performer_id', 'day'], people: ['performer_id'],
    columns: ['performer_id', 'day', 'at'],
  }),
  ownedRows({
    table: 'browse.searches', owner: 'person_id', order: ['id'],
    columns: ['name', 'query', 'notify', 'created_at'],
  }),
  ownedRows({
    table: 'browse.home_choices', owner: 'person_id', order: ['person_id'],
    columns: ['layout', 'sections'],
  }),
  ownedRows({
    table: 'browse.history_settings', owner: 'viewer_id', order: ['viewer_id'],
    columns: ['is_on', 'changed_at'],
  }),
  ownedRows({
    table: 'browse.learning_settings', owner: 'viewer_id', order: ['viewer_id'],
    columns: ['learns', 'is_shown'],
  }),
];
