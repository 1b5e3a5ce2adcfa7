import { ownedRows, type OwnedRows } from '../../../platform/data/database/owned-rows.ts';

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'room_moderation.restrictions', owner: 'person_id', order: ['id'], people: ['performer_id'],
    columns: ['performer_id', 'kind', 'reason', 'at', 'until', 'ended_at'],
  }),
  ownedRows({
    table: 'room_moderation.rules', owner: 'performer_id', order: ['performer_id'],
    columns: ['preset', 'chat_allowed', 'slow_mode_seconds', 'links', 'blocked_words', 'changed_at'],
  }),
  ownedRows({
    table: 'room_moderation.held', owner: 'person_id', order: ['id'], people: ['performer_id'],
    columns: ['performer_id', 'body', 'at'],
  }),
  ownedRows({
    table: 'room_moderation.speakers', owner: 'person_id', order: ['performer_id'], people: ['performer_id'],
    columns: ['performer_id', 'entered_at', 'seen_at', 'last_said_at', 'strikes', 'silences', 'silenced_at'],
  }),
];
