import { ownedRows, unreadRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, in the form they may read. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'browse.views',
    owner: 'viewer_id',
    order: ['performer_id'],
    people: ['performer_id'],
    columns: ['performer_id', 'first_at', 'last_at', 'seconds'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.learned_performers',
    owner: 'viewer_id',
    order: ['performer_id'],
    people: ['performer_id'],
    columns: ['performer_id', 'seconds'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.learned_tags',
    owner: 'viewer_id',
    order: ['tag'],
    columns: ['tag', 'seconds'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.likes',
    owner: 'liker_id',
    order: ['performer_id', 'day'],
    people: ['performer_id'],
    columns: ['performer_id', 'day', 'at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.searches',
    owner: 'person_id',
    order: ['id'],
    columns: ['name', 'query', 'notify', 'created_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.home_choices',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['layout', 'sections'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.history_settings',
    owner: 'viewer_id',
    order: ['viewer_id'],
    columns: ['is_on', 'changed_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'browse.learning_settings',
    owner: 'viewer_id',
    order: ['viewer_id'],
    columns: ['learns', 'is_shown'],
    erase: 'rows',
  }),
  ...['bios', 'feed', 'like_counts', 'seo_performers', 'thumb_clicks'].map((table) =>
    unreadRows('they are made of rows that the copy has', {
      table: `browse.${table}`,
      owners: ['performer_id'],
      erase: 'rows',
    })
  ),
];
