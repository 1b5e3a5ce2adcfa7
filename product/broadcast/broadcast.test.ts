import { memoryBlobs } from '#platform/data/blobs.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { collectsFacts, type BroadcastFact } from '#product/testkit/media/broadcast-facts.ts';
import { TEST_OFFER, TestEngine } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays, publishes } from '#product/testkit/media/media-client.ts';
import { TestOutputs } from '#product/testkit/media/outputs.ts';
import { SECRET } from '#product/testkit/site-options.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  broadcastHealth,
  endBroadcast,
  getOwnBroadcast,
  getPlayback,
  makeBrowserKey,
  rotateStreamKey,
  setDetails,
} from './contract.ts';
import { whepEnd, whip, whipEnd } from './contract/webrtc.ts';
import { broadcastSlice } from './server.ts';

let site: TestSite;
let facts: readonly BroadcastFact[];
beforeAll(async () => {
  site = await createSite();
  facts = await collectsFacts(site);
});
afterAll(() => site.close());
const factsOf = ({ id }: Member): string[] =>
  facts.filter(({ performerId }) => performerId === id).map(({ name }) => name.replace('broadcast.', ''));

const streamKeyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;
const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;

async function arrives(): Promise<void> {
  site.engine.arrive();
  await site.settle();
}

describe('going live', () => {
  it('streams a performer from a web browser, and publishes it [A-014, C-020]', async () => {
    const performer = await site.performer();
    const before = await performer.call(getOwnBroadcast, {});
    expect(before).toMatchObject({ state: 'offline', cleared: true, health: null });
    const made = await performer.call(makeBrowserKey, {});
    expect(made.whip_url).toBe('http://localhost/whip');
    const answered = await publishes(performer, made.stream_key);
    expect(answered.status).toBe(201);
    expect(answered.headers).toMatchObject({ 'content-type': 'application/sdp' });
    expect(answered.headers.location).toMatch(/^\/whip\/[\w-]{22}$/);
    expect(answered.body).toMatch(/^v=0/);
    expect(await stateOf(performer)).toBe('ready');
    expect(factsOf(performer)).toEqual([]);
    await arrives();
    const own = await performer.call(getOwnBroadcast, {});
    expect(own).toMatchObject({ state: 'online', startedAt: site.clock.now().toISOString() });
    expect(factsOf(performer)).toEqual(['started']);
  });

  it('streams from an encoder with a stream key, until it ends its session', async () => {
    const performer = await site.performer();
    const key = await streamKeyOf(performer);
    const encoder = await site.visitor({ opened: false });
    const { session } = await publishes(encoder, key);
    await arrives();
    site.clock.advance(61_500);
    expect((await media(encoder, whipEnd, { session })).code).toBe('stream_key_invalid');
    const other = await media(encoder, whipEnd, { session: 'another-session' }, { bearer: key });
    expect(other).toMatchObject({ status: 404, code: 'session_unknown' });
    expect(await stateOf(performer)).toBe('online');
    expect((await media(encoder, whipEnd, { session }, { bearer: key })).status).toBe(200);
    await site.settle();
    expect(await stateOf(performer)).toBe('offline');
    expect(factsOf(performer)).toEqual(['started', 'ended']);
    expect(facts.at(-1)?.payload).toMatchObject({ reason: 'performer', seconds: 61 });
    expect((await media(encoder, whipEnd, { session }, { bearer: key })).code).toBe('session_unknown');
  });

  it('ends on request: everybody is cut, and the reply has duration and peak viewers', async () => {
    const performer = await site.performer({ live: true });
    const [viewer, second] = [await site.viewer(), await site.viewer()];
    const { stream, token } = await playbackOf(viewer, performer);
    await plays(viewer, stream, token);
    site.engine.measure(stream);
    const { session } = await plays(second, stream, (await playbackOf(second, performer)).token);
    site.engine.measure(stream);
    await media(second, whepEnd, { session });
    site.engine.measure(stream);
    await site.settle();
    const startedAt = site.clock.now().toISOString();
    site.clock.advance(125_000);
    expect(await performer.call(endBroadcast, {})).toEqual({
      status: 1,
      seconds: 125,
      peakViewers: 2,
      startedAt,
      endedAt: site.clock.now().toISOString(),
      fromEncoder: true,
    });
    expect([site.engine.readersOf(stream), site.engine.streams.includes(stream)]).toEqual([0, false]);
    expect(await performer.refused(endBroadcast, {})).toMatchObject({ status: 409, errorType: 'not_live' });
    expect((await plays(viewer, stream, token)).code).not.toBeNull();
    const problem = await viewer.refused(getPlayback, { username: performer.username });
    expect(problem).toMatchObject({ status: 404, errorType: 'stream_offline' });
  });

  it('refuses malformed, unsupported and oversized offers, and a full server, with a reason', async () => {
    const performer = await site.performer();
    const key = await streamKeyOf(performer);
    for (const offer of ['', 'hello', '{"sdp":1}', 'v=0']) {
      const refused = await publishes(performer, key, offer);
      expect(refused, offer).toMatchObject({ status: 422, code: 'offer_malformed' });
    }
    // A text that the database cannot store is refused.
    expect(await publishes(performer, key, '\u0000'.repeat(100)))
      .toMatchObject({ status: 422, code: 'invalid_input' });
    const av1 = TEST_OFFER.replace('H264', 'AV1');
    expect((await publishes(performer, key, av1)).code).toBe('codec_unsupported');
    expect((await publishes(performer, key, TEST_OFFER + 'a=x\r\n'.repeat(20_000))).status).toBe(413);
    const json = { bearer: key, type: 'application/json' };
    expect((await media(performer, whip, { body: TEST_OFFER }, json)).status).toBe(415);
    for (const code of ['overloaded', 'unavailable'] as const) {
      site.engine.refuseWith(code);
      expect(await publishes(performer, key)).toMatchObject({
        status: 429,
        code: 'overloaded',
        headers: { 'retry-after': '5' },
      });
    }
    site.engine.refuseWith('stream_taken');
    expect(await publishes(performer, key)).toMatchObject({ status: 409, code: 'stream_taken' });
    site.engine.refuseWith(null);
    expect(await stateOf(performer)).toBe('offline');
    expect((await publishes(performer, key)).status).toBe(201);
  });

  it('forgets a publisher whose media never comes', async () => {
    const performer = await site.performer();
    await publishes(performer, await streamKeyOf(performer));
    await site.passes(30_000 - 1);
    expect(await stateOf(performer)).toBe('ready');
    await site.passes(1);
    expect(await stateOf(performer)).toBe('offline');
    expect(factsOf(performer)).toEqual([]);
  });
});

describe('losing the publisher', () => {
  it('waits thirty seconds, and resumes when the publisher comes back', async () => {
    const performer = await site.performer();
    const { stream_key: key } = await performer.call(makeBrowserKey, {});
    await publishes(performer, key);
    await arrives();
    const viewer = await site.viewer();
    const { stream } = await playbackOf(viewer, performer);
    site.engine.drop(stream, 'silent');
    await site.settle();
    expect(await stateOf(performer)).toBe('reconnecting');
    await site.passes(30_000 - 1_000);
    // The same browser key is still valid for this session, long after its 60 s.
    expect((await publishes(performer, key)).status).toBe(201);
    expect(await stateOf(performer)).toBe('reconnecting');
    await arrives();
    expect(await stateOf(performer)).toBe('online');
    expect((await playbackOf(viewer, performer)).stream).toBe(stream);
    await site.passes(30_000);
    expect(await stateOf(performer)).toBe('online');
    expect(factsOf(performer)).toEqual(['started', 'interrupted', 'resumed']);
  });

  it('ends the broadcast when the publisher does not come back', async () => {
    const performer = await site.performer({ live: true });
    const { stream } = await playbackOf(await site.viewer(), performer);
    site.engine.drop(stream, 'relay_lost');
    await site.settle();
    await site.passes(30_000);
    expect(await stateOf(performer)).toBe('offline');
    expect(factsOf(performer)).toEqual(['started', 'interrupted', 'ended']);
    expect(facts.at(-1)?.payload).toMatchObject({ reason: 'lost' });
    await performer.goesLive();
    expect((await playbackOf(await site.viewer(), performer)).stream).not.toBe(stream);
  });

  it('continues when the performer replaces the publisher', async () => {
    const performer = await site.performer();
    const key = await streamKeyOf(performer);
    const first = await publishes(performer, key);
    await arrives();
    const second = await publishes(performer, key);
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
    // The first session is over: its URL ends nothing.
    const replaced = await media(performer, whipEnd, { session: first.session }, { bearer: key });
    expect(replaced.code).toBe('session_unknown');
    await arrives();
    expect(factsOf(performer)).toEqual(['started']);
    expect((await media(performer, whipEnd, { session: second.session }, { bearer: key })).status).toBe(200);
  });

  it('gives every broadcast the grace period after a restart, and resumes it', async () => {
    const stays = await site.performer({ live: true });
    const returns = await site.performer();
    const key = await streamKeyOf(returns);
    await publishes(returns, key);
    await arrives();
    const starting = await site.performer();
    await publishes(starting, await streamKeyOf(starting));
    const { accounts, compliance, site: sites } = site.services;
    const errors: unknown[] = [];
    const engine = new TestEngine();
    const restarted = broadcastSlice({
      data: site.data,
      bus: site.data.bus,
      limits: site.data.limits,
      blobs: memoryBlobs(),
      accounts,
      compliance,
      media: { engine, local: engine.local, outputs: new TestOutputs(engine, () => 0), rtmp: null },
      secret: SECRET,
      site: sites,
      extensions: site.extensions,
      rtmpPort: null,
      ice: { servers: [], turn: null },
      onError: (error) => errors.push(error),
    });
    await restarted.start?.();
    await site.settle();
    expect([await stateOf(stays), await stateOf(returns)]).toEqual(['reconnecting', 'reconnecting']);
    expect(await stateOf(starting)).toBe('offline');
    expect((await publishes(returns, key)).status).toBe(201);
    await arrives();
    await site.passes(30_000);
    expect([await stateOf(stays), await stateOf(returns)]).toEqual(['offline', 'online']);
    expect(factsOf(returns)).toEqual(['started', 'interrupted', 'resumed']);
    expect(factsOf(stays)).toEqual(['started', 'interrupted', 'ended']);
    expect(errors).toEqual([]);
  });

  it('goes online from a health report when the first-media report was lost', async () => {
    const performer = await site.performer();
    await publishes(performer, await streamKeyOf(performer));
    const stream = site.engine.streams.at(-1) ?? '';
    site.engine.measure(stream, { videoBitsPerSecond: 0 });
    await site.settle();
    expect(await stateOf(performer)).toBe('ready');
    site.engine.measure(stream);
    site.engine.measure(stream);
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
    expect(factsOf(performer)).toEqual(['started']);
  });
});

describe('who may go live', () => {
  it('is nobody without a clearance, with any key over any protocol', async () => {
    const performer = await site.performer({ cleared: false });
    for (const call of [rotateStreamKey, makeBrowserKey]) {
      const problem = await performer.refused(call, {});
      expect(problem).toMatchObject({ status: 403, errorType: 'clearance_missing' });
    }
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    expect(await publishes(performer, key)).toMatchObject({ status: 403, code: 'clearance_missing' });
    const unclean = site.tx((tx) =>
      sql`insert into broadcast.broadcasts
      (performer_id, clearance_id, stream, phase, publish_session, published_with, protocol, made_at,
        deadline_at)
      values (${performer.id}, 1, 'x', 'ready', 'x', 'stream_key', 'whip', ${tx.now}, ${tx.now})`
        .execute(tx.sql())
    );
    await expect(unclean).rejects.toThrow(/foreign key/);
  });

  it('is not a suspended performer, whose stream is cut at once', async () => {
    const performer = await site.performer({ live: true });
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    const { stream } = await playbackOf(await site.viewer(), performer);
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, performer.id, order));
    await site.settle();
    expect(site.engine.streams).not.toContain(stream);
    expect(facts.at(-1)?.payload).toMatchObject({ performerId: performer.id, reason: 'suspended' });
    expect(await publishes(await site.visitor(), key)).toMatchObject({ status: 403, code: 'suspended' });
  });

  it('is cut mid-stream when the clearance is revoked', async () => {
    const admin = await site.admin();
    const performer = await site.performer();
    const key = await streamKeyOf(performer);
    await publishes(performer, key);
    await arrives();
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    await plays(viewer, stream, token);
    const { username } = performer;
    await admin.call(decideClearance, { username, decision: 'revoke', reason: 'consent withdrawn' });
    await site.settle();
    expect([site.engine.readersOf(stream), site.engine.streams.includes(stream)]).toEqual([0, false]);
    expect(facts.at(-1)?.payload).toMatchObject({ performerId: performer.id, reason: 'revoked' });
    expect((await publishes(performer, key)).code).toBe('clearance_missing');
    expect((await plays(viewer, stream, token)).status).toBeGreaterThanOrEqual(400);
  });

  it('is not a viewer, a guest or an admin', async () => {
    const wanted = { viewer: await site.viewer(), admin: await site.admin() };
    for (const someone of Object.values(wanted)) {
      for (const call of [getOwnBroadcast, rotateStreamKey, makeBrowserKey, endBroadcast]) {
        expect(await someone.refused(call, {})).toMatchObject({ status: 403, errorType: 'forbidden' });
      }
    }
    const guest = await site.visitor();
    expect((await guest.refused(setDetails, { title: '', tags: [] })).status).toBe(401);
  });
});

describe('health', () => {
  it('is sent with advice to the performer’s own tabs only', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream } = await playbackOf(viewer, performer);
    const tabs = [await site.socketOf(performer), await site.socketOf(await site.anotherTabOf(performer))];
    const other = await site.socketOf(viewer);
    site.engine.measure(stream, { videoBitsPerSecond: 90_000, lossFraction: 0.2, roundTripMs: 900 });
    for (const tab of tabs) {
      const health = await tab.waitFor(broadcastHealth);
      expect(health).toMatchObject({ stream, viewers: 0, advice: ['loss_high', 'bitrate_low'] });
      expect(health).not.toHaveProperty('session');
    }
    expect(other.events.map(({ name }) => name)).not.toContain(broadcastHealth.name);
    const { health } = await performer.call(getOwnBroadcast, {});
    expect(health).toMatchObject({ framesPerSecond: 30, advice: ['loss_high', 'bitrate_low'] });
    site.clock.advance(6_000);
    expect((await performer.call(getOwnBroadcast, {})).health).toBeNull();
  });
});

describe('topic and tags', () => {
  it('are cleaned, shown and published', async () => {
    const performer = await site.performer();
    const wanted = { title: ' Hello\nthere ', tags: ['Live Sex', 'DANCE', 'dance'] };
    const set = await performer.call(setDetails, wanted);
    expect(set).toEqual({ status: 1, title: 'Hello there', tags: ['live-sex', 'dance'] });
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({ title: 'Hello there', tags: set.tags });
    await site.settle();
    expect(facts.at(-1)).toMatchObject({ name: 'broadcast.detailsChanged', payload: { tags: set.tags } });
    for (const tags of [['<script>'], ['ok', 'a/b'], ['ñ!']]) {
      const problem = await performer.refused(setDetails, { title: 'x', tags });
      expect(problem).toMatchObject({ status: 422, errorType: 'tag_invalid' });
    }
    const long = { title: 'x'.repeat(121), tags: [] };
    expect((await performer.refused(setDetails, long)).errorType).toBe('invalid_input');
    expect((await performer.call(getOwnBroadcast, {})).title).toBe('Hello there');
  });
});

it('ends a running broadcast when its clearance expires, over a year', async () => {
  const performer = await site.performer({ live: true });
  await site.passes(365 * DAY_MS);
  expect(factsOf(performer)).toEqual(['started', 'ended']);
});

it('logs no errors', () => expect(site.log).toEqual([]));
