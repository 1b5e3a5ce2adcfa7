import {
  changeRows,
  deleteRows,
  ownedRows,
  unreadRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';

const MODERATION = 'moderators and authorities must be able to ask who was excluded, and when';

/** Personal data that this slice stores, as the person may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'room_moderation.restrictions',
    owner: 'person_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'kind', 'reason', 'at', 'until', 'ended_at'],
    // A reason may quote what they said.
    erase: { clears: { reason: sql`''` }, because: MODERATION },
  }),
  ownedRows({
    table: 'room_moderation.rules',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: ['preset', 'chat_allowed', 'slow_mode_seconds', 'links', 'blocked_words', 'changed_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'room_moderation.held',
    owner: 'person_id',
    order: ['id'],
    people: ['performer_id'],
    columns: ['performer_id', 'body', 'at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'room_moderation.speakers',
    owner: 'person_id',
    order: ['performer_id'],
    people: ['performer_id'],
    columns: ['performer_id', 'entered_at', 'seen_at', 'last_said_at', 'strikes', 'silences', 'silenced_at'],
    alsoOf: ['performer_id'],
    erase: 'rows',
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.marks',
    owners: ['performer_id'],
    erase: { keeps: MODERATION },
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.sketches',
    owners: ['person_id', 'performer_id'],
    erase: 'rows',
  }),
  unreadRows('they protect rooms from whoever evades a ban', {
    table: 'room_moderation.traces',
    owners: [],
    erase: {
      by: (tx, { id }, limit) =>
        deleteRows(tx, 'room_moderation.traces', sql`who = ${`person:${id}`}`, limit),
    },
  }),
  unreadRows('they are about what moderators did to others', {
    table: 'room_moderation.actions',
    owners: ['performer_id', 'person_id'],
    erase: {
      by: (tx, { id }, limit) =>
        changeRows(
          tx,
          'room_moderation.actions',
          sql`reason = ''`,
          sql`person_id = ${id} and reason <> ''`,
          limit,
        ),
      keeps: MODERATION,
    },
  }),
];
