import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GRANTS } from './store/recovery.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('nothing that lets somebody in is forgotten', () => {
  it('every table of the accounts with a person says what a recovery ends of it', async () => {
    const { rows } = await site.tx((tx) =>
      sql<{ name: string }>`
      select distinct table_name as name from information_schema.columns
      where table_schema = 'accounts' and column_name in ('person_id', 'other_id', 'birth_date')`
        .execute(tx.sql())
    );
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(GRANTS).toSorted());
  });

  it('every other table with a secret of somebody is ended by its slice, or says why not', async () => {
    const { rows } = await site.tx((tx) =>
      sql<{ name: string }>`
      select distinct s.table_schema || '.' || s.table_name as name from information_schema.columns s
      join information_schema.columns p using (table_schema, table_name)
      where s.table_schema not in ('accounts', 'platform', 'information_schema', 'pg_catalog')
        and s.column_name ~ '(digest|secret|token|key_hash|endpoint|session)$' and s.data_type = 'text'
        and p.column_name in ('person_id', 'performer_id', 'member_id', 'viewer_id')`.execute(tx.sql())
    );
    expect(Object.fromEntries(rows.map(({ name }) => [name, SECRETS[name] ?? 'not accounted for'])))
      .toEqual(SECRETS);
  });

  it('every value that is sealed for somebody ends with a recovery, or says why not', () => {
    const sealing = readdirSync('product', { recursive: true, encoding: 'utf8' })
      .filter((path) =>
        path.endsWith('.ts') && !path.includes('.test.')
        && /[^a-z.#]seal\(/u.test(readFileSync(join('product', path), 'utf8'))
      );
    expect(sealing.toSorted()).toEqual(Object.keys(SEALED).toSorted());
  });
});

/** Tables of other slices with a digest or a token of a person. */
const SECRETS: Readonly<Record<string, string>> = {
  'agreements.documents': 'sign one document, and only in a session of its own person',
  'billing.cards': 'name a card to its biller; the person sees and removes them',
  'broadcast.broadcasts': 'name the sessions that they run by',
  'broadcast.standbys': 'name the sessions that they end with',
  'room_moderation.marks': 'recognise who was banned',
  'room_moderation.restrictions': 'recognise who was banned',
  'broadcast.stream_keys': 'ended: `accounts.grants`',
  'broadcast.browser_keys': 'go with the log-in session that made them',
  'tips.overlays': 'ended: `accounts.grants`',
  'identity.names': 'find records by a name; they let nobody in',
  'moderation.statements': 'lead to one statement, and let appeal it once',
  'notices.push_subscriptions': 'ended, but for the session that goes on',
};

/** Where values are sealed, and how each of them ends. */
const SEALED: Readonly<Record<string, string>> = {
  'accounts/server/emails.ts': 'links have the number of recoveries in them',
  'accounts/server/sessions.ts': 'guests’ are nobody’s, node tokens go with their session',
  'accounts/server/credentials/attempts.ts': 'known browsers have the number of recoveries in them',
  'accounts/server/providers/journeys.ts': 'go with their session; a proof of before connects nothing',
  'accounts/server/passkeys.ts': 'go with their session',
  'accounts/server/deletion/keep-tickets.ts': 'have the number of recoveries in them',
  'accounts/server/life/own-data.ts': 'go with their session',
  'compliance/server/gate.ts': 'say that a browser passed the gate',
  'notices/server/emails.ts': 'end emails, and let nobody in',
  'age-checks/server/attempts.ts': 'begin a check; its result opens a gate, and no account',
  'identity/server/review.ts': 'last half an hour, for one reviewer who is logged in',
  'billing/server/checkout/attribution.ts': 'say where a purchase came from',
  'broadcast/server/cameras.ts': 'last minutes, for one session',
  'broadcast/server/playback/access.ts': 'last minutes, for one session',
  'room-moderation/server/chat-guard/marks.ts': 'recognise who was banned',
};
