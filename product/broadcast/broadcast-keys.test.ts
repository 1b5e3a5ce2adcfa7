import { HOUR_MS } from '#platform/time/units.ts';
import { changePassword, logout, logoutEverywhere } from '#product/accounts/contract.ts';
import { collectsFacts, type BroadcastFact } from '#product/testkit/media/broadcast-facts.ts';
import { media, playbackOf, publishes } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast, getOwnBroadcast, getPlayback, makeBrowserKey, rotateStreamKey } from './contract.ts';
import { whepEnd, whipEnd } from './contract/webrtc.ts';
import { MAX_BROWSER_KEYS } from './rules.ts';

let site: TestSite;
let facts: readonly BroadcastFact[];
beforeAll(async () => {
  site = await createSite();
  facts = await collectsFacts(site);
});
afterAll(() => site.close());

const streamKeyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;
const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;

async function arrives(): Promise<void> {
  site.engine.arrive();
  await site.settle();
}

describe('stream keys', () => {
  it('are refused when missing, forged, truncated, replaced or unknown', async () => {
    const performer = await site.performer();
    const old = await streamKeyOf(performer);
    const key = await streamKeyOf(performer);
    expect(Buffer.from(key.slice(3), 'base64url').length).toBeGreaterThanOrEqual(16);
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    const cut = key.slice(0, -1);
    const forged = [null, 'x', 'sk_', old, cut, cut + last, `${key}A`, key.toUpperCase()];
    for (const wrong of forged) {
      const refused = await publishes(performer, wrong);
      expect(refused).toMatchObject({
        status: 401,
        code: 'stream_key_invalid',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    expect((await publishes(performer, key)).status).toBe(201);
  });

  it('end their broadcast when rotated', async () => {
    const performer = await site.performer();
    const leaked = await streamKeyOf(performer);
    const thief = await site.visitor({ opened: false });
    const { session } = await publishes(thief, leaked);
    await arrives();
    const fresh = await streamKeyOf(performer);
    await site.settle();
    expect(await stateOf(performer)).toBe('offline');
    expect(facts.at(-1)?.payload).toMatchObject({ reason: 'key_rotated' });
    expect((await publishes(thief, leaked)).code).toBe('stream_key_invalid');
    expect((await media(thief, whipEnd, { session }, { bearer: leaked })).code).toBe('stream_key_invalid');
    expect((await publishes(performer, fresh)).status).toBe(201);
  });

  it.each<[string, (performer: Member) => Promise<unknown>]>([
    ['a new password', (performer) =>
      performer.call(changePassword, {
        current: 'correct horse battery',
        next: 'eleven blue tortoises',
      })],
    ['a log-out everywhere', (performer) => performer.call(logoutEverywhere, {})],
  ])('end what an encoder publishes with them by %s of their owner', async (_name, recovers) => {
    const performer = await site.performer();
    const leaked = await streamKeyOf(performer);
    const thief = await site.visitor({ opened: false });
    await publishes(thief, leaked);
    await arrives();
    const viewer = await site.viewer();
    expect(await stateOf(performer)).toBe('online');
    await recovers(performer);
    await site.settle();
    expect(facts.at(-1)?.payload).toMatchObject({ performerId: performer.id, reason: 'key_rotated' });
    const { username } = performer;
    expect(await viewer.refused(getPlayback, { username })).toMatchObject({ status: 404 });
    expect((await publishes(thief, leaked)).code).toBe('stream_key_invalid');
  });

  it('publish only as their owner', async () => {
    const [one, other] = [await site.performer({ live: true }), await site.performer()];
    const { session } = await publishes(other, await streamKeyOf(other));
    await arrives();
    const viewer = await site.viewer();
    expect((await playbackOf(viewer, one)).stream).not.toBe((await playbackOf(viewer, other)).stream);
    const own = await streamKeyOf(one);
    expect((await media(one, whipEnd, { session }, { bearer: own })).code).toBe('session_unknown');
    expect(await stateOf(other)).toBe('online');
    // Publish sessions and play sessions are separate.
    expect((await media(viewer, whepEnd, { session })).code).toBe('session_unknown');
    expect(await stateOf(other)).toBe('online');
  });

  it('of a browser expire after a minute unused, and belong to their session and broadcast', async () => {
    const performer = await site.performer();
    const late = (await performer.call(makeBrowserKey, {})).stream_key;
    site.clock.advance(60_000);
    expect((await publishes(performer, late)).code).toBe('stream_key_invalid');
    const { stream_key: key } = await performer.call(makeBrowserKey, {});
    const thief = await site.anotherTabOf(performer);
    const stranger = await site.visitor({ opened: false });
    for (const other of [thief, stranger]) {
      expect((await publishes(other, key)).code).toBe('stream_key_invalid');
    }
    await publishes(performer, key);
    await arrives();
    await site.passes(HOUR_MS);
    for (const other of [thief, stranger]) {
      expect((await publishes(other, key)).code).toBe('stream_key_invalid');
    }
    expect((await publishes(performer, key)).status).toBe(201);
    await performer.call(endBroadcast, {});
    expect((await publishes(performer, key)).code).toBe('stream_key_invalid');
  });

  it('of a browser end with its log-out, and so does the broadcast', async () => {
    const performer = await site.performer();
    const tab = await site.anotherTabOf(performer);
    const { stream_key: unused } = await tab.call(makeBrowserKey, {});
    const { stream_key: key } = await tab.call(makeBrowserKey, {});
    await publishes(tab, key);
    await arrives();
    await performer.call(logout, {});
    await site.settle();
    expect(await stateOf(tab)).toBe('online');
    await tab.call(logout, {});
    await site.settle();
    expect(facts.at(-1)?.payload).toMatchObject({ performerId: performer.id, reason: 'logged_out' });
    for (const gone of [unused, key]) expect((await publishes(tab, gone)).code).toBe('stream_key_invalid');
  });

  it('of a browser are limited in number', async () => {
    const performer = await site.performer();
    const first = (await performer.call(makeBrowserKey, {})).stream_key;
    for (let more = 0; more < MAX_BROWSER_KEYS; more += 1) await performer.call(makeBrowserKey, {});
    const count = await site.tx(async (tx) =>
      (await sql<{ n: number }>`select count(*)::int as n from broadcast.browser_keys
        where performer_id = ${performer.id}`.execute(tx.sql())).rows[0]?.n
    );
    expect(count).toBe(MAX_BROWSER_KEYS);
    expect((await publishes(performer, first)).code).toBe('stream_key_invalid');
  });

  it('appear neither in the database nor in the log', async () => {
    const performer = await site.performer();
    const keys = [await streamKeyOf(performer), (await performer.call(makeBrowserKey, {})).stream_key];
    await publishes(performer, keys[1] ?? null);
    const own = ['broadcasts', 'details', 'stream_keys', 'browser_keys'];
    const tables = [...own.map((table) => `broadcast.${table}`), 'platform.audit', 'platform.due'];
    const stored = await site.tx(async (tx) => {
      const texts: string[] = [];
      for (const table of tables) {
        const query = sql<{ text: string }>`select json_agg(t)::text as text from ${sql.raw(table)} t`;
        texts.push((await query.execute(tx.sql())).rows[0]?.text ?? '');
      }
      return texts.join();
    });
    expect(stored.length).toBeGreaterThan(1_000);
    for (const key of keys) {
      expect(stored).not.toContain(key.slice(3));
      expect(site.log.join()).not.toContain(key.slice(3));
    }
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
