import { sql } from 'kysely';
import type { TestSite } from '../site.ts';

/** Copies a recorded show this many times: for pages of them. */
export async function moreRecorded(site: TestSite, show: number, count: number): Promise<void> {
  await site.tx((tx) =>
    sql`insert into shows.ticket_shows (
      operator_id, performer_id, phase, message, ticket_price, recording_price, refund_minutes,
      minimum_tickets, minutes, sold, offered_at, starts_at, started_at, ended_at, end_reason,
      recording_consent_at, recording_consent_version, recorded_ms)
    select operator_id, performer_id, phase, message, ticket_price, recording_price, refund_minutes,
      minimum_tickets, minutes, sold, offered_at, starts_at, started_at, ended_at, end_reason,
      recording_consent_at, recording_consent_version, recorded_ms
    from shows.ticket_shows, generate_series(1, ${count}) where id = ${show}`.execute(tx.sql())
  );
}
