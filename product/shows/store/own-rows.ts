import { sql } from 'kysely';
import { ownedRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';

/** What this slice stores about a person, for their own copy. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'shows.votes', owner: 'viewer_id', order: ['day', 'performer_id'], people: ['performer_id'],
    columns: ['performer_id', 'day', 'is_up', 'voted_at'], alsoOf: ['performer_id'], erase: 'rows',
  }),
  ownedRows({
    table: 'shows.privates', owner: 'viewer_id', order: ['id'], people: ['performer_id'],
    columns: [
      'performer_id', 'phase', 'exclusive', 'recording', 'price', 'limit_tokens', 'pre_tip', 'requested_at',
      'started_at', 'ended_at', 'end_reason', 'seconds', 'captured', 'free_performer', 'free_viewer',
      'recording_viewer_at', 'recording_viewer_version', 'recording_withdrawn_at', 'recorded_ms',
    ],
    erase: { keeps: 'shows are in the books, and in the receipts of whoever gave or paid for them' },
  }),
  ownedRows({
    table: 'shows.ticket_shows', owner: 'performer_id', order: ['id'],
    columns: [
      'phase', 'message', 'ticket_price', 'recording_price', 'refund_minutes', 'minimum_tickets', 'minutes',
      'sold', 'offered_at', 'starts_at', 'started_at', 'ended_at', 'end_reason', 'recording_consent_at',
      'recording_consent_version', 'recording_withdrawn_at', 'recorded_ms',
    ],
    erase: {
      clears: { message: sql`''` },
      because: 'shows are in the books, and in the receipts of whoever gave or paid for them',
    },
  }),
  ownedRows({
    table: 'shows.tickets', owner: 'viewer_id', order: ['id'],
    columns: [
      'show_id', 'price', 'bought_at', 'state', 'settled_at', 'region', 'shut_out_since', 'shut_out_ms',
      'away_ms', 'full_since', 'served_region', 'missed_in',
    ],
    erase: { keeps: 'tickets are in the books, and in the receipts of whoever sold them' },
  }),
  ownedRows({
    table: 'shows.ticket_recordings', owner: 'viewer_id', order: ['id'],
    columns: ['show_id', 'price', 'bought_at', 'state', 'settled_at'],
    erase: { keeps: 'bought recordings are in the books, and in the receipts of whoever sold them' },
  }),
  ownedRows({
    table: 'shows.sharecams', owner: 'viewer_id', order: ['id'], people: ['performer_id'],
    columns: [
      'performer_id', 'mode', 'phase', 'price', 'adult_at', 'requested_at', 'accepted_at', 'ready_at',
      'ended_at', 'end_reason', 'seconds', 'captured', 'free_performer', 'free_viewer',
    ],
    erase: { keeps: 'paid cameras are in the books, and in the receipts of whoever gave or paid for them' },
  }),
  ownedRows({
    table: 'shows.group_goals', owner: 'performer_id', order: ['id'],
    columns: ['title', 'tokens', 'progress', 'started_at', 'ends_at', 'ended_at', 'end_reason'],
    erase: {
      clears: { title: sql`''` },
      because: 'goals are in the books, and in the histories of whoever gave to them',
    },
  }),
  ownedRows({
    table: 'shows.group_goal_gifts', owner: 'viewer_id', order: ['id'],
    columns: ['goal_id', 'tokens', 'given_at', 'state', 'settled_at'],
    erase: { keeps: 'gifts are in the books, and in the histories of whoever got them' },
  }),
  ownedRows({
    table: 'shows.spies', owner: 'viewer_id', order: ['id'], people: ['performer_id'],
    columns: [
      'performer_id', 'price', 'startup_tip', 'preview', 'previewed', 'started_at', 'paid_at', 'ended_at',
      'end_reason', 'seconds', 'captured', 'free_performer', 'free_viewer',
    ],
    erase: { keeps: 'spying is in the books, and in the receipts of whoever showed or paid for it' },
  }),
  ownedRows({
    table: 'shows.settings', owner: 'performer_id', order: ['performer_id'],
    columns: [
      'private_price', 'exclusive_price', 'is_recording_enabled', 'is_pre_tip_enabled', 'pre_tip',
      'is_watch_together_enabled', 'minimum_minutes', 'minimum_tokens', 'discount_percent', 'discount_until',
      'is_sharecam_in_private', 'is_sharecam_in_public', 'sharecam_price',
      'spy_price', 'spy_startup_tip',
    ],
    erase: 'rows',
  }),
];
