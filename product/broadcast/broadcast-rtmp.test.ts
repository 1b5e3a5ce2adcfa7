import { decideClearance } from '#product/compliance/contract.ts';
import { playbackOf, plays, publishes } from '#product/testkit/media/media-client.ts';
import { sessionOf } from '#product/testkit/media/rtmp.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  broadcastHealth,
  broadcastStateChanged,
  endBroadcast,
  getOwnBroadcast,
  makeBrowserKey,
  rotateStreamKey,
} from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const keyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;
const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;

describe('publishing over RTMP', () => {
  it('goes live with the stream key, as from OBS [C-021]', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const own = await performer.call(getOwnBroadcast, {});
    expect(own.rtmpUrl).toBe('rtmp://localhost:1935/live');
    const admission = await site.rtmp.publishes(key);
    expect(admission).toMatchObject({ admitted: true, bFrames: 'transcode', feed: { socketPath: /relay/ } });
    expect(await stateOf(performer)).toBe('ready');
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    expect((await plays(viewer, stream, token)).status).toBe(201);
    // Only encoders get advice on keyframe intervals.
    site.engine.measure(stream, { keyframeIntervalMs: 10_000 });
    const { health } = await performer.call(getOwnBroadcast, {});
    expect(health?.advice).toEqual(['keyframes_rare']);
    await performer.call(endBroadcast, {});
    expect(site.engine.streams).not.toContain(stream);
  });

  it('shares one broadcast with WHIP', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    await site.rtmp.publishes(key);
    site.engine.arrive();
    await site.settle();
    const { stream } = await playbackOf(performer, performer);
    expect((await publishes(performer, key)).status).toBe(201);
    site.engine.arrive();
    await site.settle();
    expect((await playbackOf(performer, performer)).stream).toBe(stream);
    expect(await stateOf(performer)).toBe('online');
    expect((await site.rtmp.publishes(key, { address: '192.0.2.9' })).admitted).toBe(true);
    expect(site.engine.streams.filter((name) => name === stream)).toHaveLength(1);
  });

  it('is refused with a reason without a valid key, an account or a clearance', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const { stream_key: browserKey } = await performer.call(makeBrowserKey, {});
    const before = site.engine.streams;
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    for (const wrong of [
      '',
      'x',
      'sk_',
      browserKey,
      key.slice(0, -1),
      key.slice(0, -1) + last,
      `${key}A`,
      key.toUpperCase(),
      `${key}?x=1`,
      `' or 1=1 --`,
    ]) {
      const refused = await site.rtmp.publishes(wrong);
      expect(refused, wrong).toMatchObject({ admitted: false, reason: /key is missing, wrong/ });
    }
    const elsewhere = await site.rtmp.publishes(key, { app: 'play' });
    expect(elsewhere).toMatchObject({ admitted: false, reason: /live/ });
    const uncleared = await site.performer({ cleared: false });
    const early = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, uncleared.id));
    expect(await site.rtmp.publishes(early)).toMatchObject({ admitted: false, reason: /clearance/i });
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, performer.id, order));
    expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: false, reason: /suspended/i });
    expect(site.engine.streams).toEqual(before);
  });

  it('is rate-limited against guessing keys', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const address = '203.0.113.77';
    for (let tried = 0; tried < 30; tried += 1) await site.rtmp.publishes('sk_guess', { address });
    expect(await site.rtmp.publishes(key, { address })).toMatchObject({ admitted: false, reason: /full/ });
    site.clock.advance(60_000);
    expect((await site.rtmp.publishes(key, { address })).admitted).toBe(true);
  });

  it('is cut by revocation and by a new key', async () => {
    const admin = await site.admin();
    for (const end of ['revoke', 'rotate'] as const) {
      const performer = await site.performer();
      const key = await keyOf(performer);
      await site.rtmp.publishes(key);
      site.engine.arrive();
      await site.settle();
      const { stream } = await playbackOf(performer, performer);
      const { username } = performer;
      if (end === 'rotate') await keyOf(performer);
      else await admin.call(decideClearance, { username, decision: 'revoke', reason: 'consent withdrawn' });
      await site.settle();
      expect(site.engine.streams).not.toContain(stream);
      expect(await stateOf(performer)).toBe('offline');
      expect((await site.rtmp.publishes(key)).admitted).toBe(false);
    }
  });

  it('finds the operator by the key alone', async () => {
    const other = await site.services.site.addOperator('Other', {
      displayName: 'Other',
      sitecode: 'other-rtmp',
      hosts: ['other.example'],
    });
    const { accounts, compliance, broadcast } = site.services;
    const passwordHash = await accounts.hashPassword('correct horse battery');
    const person = await accounts.create(other, {
      username: 'elsewhere',
      email: 'elsewhere@people.example',
      password: 'correct horse battery',
      passwordHash,
      birthDate: '1996-01-15',
      type: 'model',
      gender: 'f',
      roles: [],
    });
    await site.settle();
    const key = await site.data.tx(other, async (tx) => {
      await compliance.clear(tx, person.id, null, 'a test');
      return broadcast.makeStreamKey(tx, person.id);
    });
    await site.data.tx(other, (tx) => site.services.site.configure(tx, { bFrames: 'refuse' }, null));
    expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: true, bFrames: 'refuse' });
    const view = await site.data.tx(other, (tx) => broadcast.viewOf(tx, person.id));
    expect(view.state).toBe('ready');
    // Looking up one key reveals no other key of that operator.
    const foreign = await site.tx(async (tx) => {
      await sql`select set_config('app.stream_key', ${'0'.repeat(64)}, true)`.execute(tx.sql());
      const query = sql<{ n: number }>`select count(*)::int as n from broadcast.stream_keys
        where operator_id <> ${site.scope.operatorId}`;
      return (await query.execute(tx.sql())).rows[0]?.n;
    });
    expect(foreign).toBe(0);
    // WHIP has a host header, and the key is unknown to that operator.
    expect((await publishes(await site.visitor(), key)).code).toBe('stream_key_invalid');
  });
});

describe('an encoder whose media cannot be played', () => {
  it('is reported at once, and stays ready until fixed', async () => {
    const performer = await site.performer();
    const tab = await site.socketOf(performer);
    const key = await keyOf(performer);
    const session = sessionOf(await site.rtmp.publishes(key));
    await site.settle();
    expect(await tab.waitFor(broadcastStateChanged)).toMatchObject({ state: 'ready', reason: null });
    site.rtmp.report(session, 'b_frames');
    expect(await tab.waitFor(broadcastHealth)).toMatchObject({
      trouble: 'b_frames',
      advice: ['b_frames'],
      codec: null,
      viewers: 0,
    });
    await site.passes(30_000 + 60_000);
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({
      state: 'ready',
      health: { trouble: 'b_frames', advice: ['b_frames'] },
    });
    site.rtmp.report(session, null);
    site.engine.arrive();
    await site.settle();
    const own = await performer.call(getOwnBroadcast, {});
    expect(own).toMatchObject({ state: 'online', health: null });
  });

  it('is also reported by the engine', async () => {
    const performer = await site.performer();
    await site.rtmp.publishes(await keyOf(performer));
    site.engine.trouble(site.engine.streams.at(-1) ?? '', 'audio_codec');
    await site.settle();
    const { health } = await performer.call(getOwnBroadcast, {});
    expect(health).toMatchObject({ trouble: 'audio_codec', advice: ['audio_codec'] });
  });

  it('ends after ten minutes, and at once when it disconnects', async () => {
    const [waits, goes] = [await site.performer(), await site.performer()];
    for (const performer of [waits, goes]) {
      site.rtmp.report(sessionOf(await site.rtmp.publishes(await keyOf(performer))), 'video_codec');
    }
    await site.settle();
    const gone = site.engine.streams.at(-1) ?? '';
    site.engine.drop(gone, 'ended');
    await site.settle();
    expect([await stateOf(waits), await stateOf(goes)]).toEqual(['ready', 'offline']);
    // Repeated reports do not extend the time.
    for (let reports = 0; reports < 5; reports += 1) {
      await site.passes(600_000 / 5 - 1_000);
      expect(await stateOf(waits)).toBe('ready');
      site.engine.trouble(site.engine.streams.at(-1) ?? '', 'video_codec');
    }
    await site.passes(5_000);
    expect(await stateOf(waits)).toBe('offline');
  });
});

describe('an encoder that means to stop', () => {
  it('ends its broadcast at once; one that is lost has its grace', async () => {
    for (const [reason, state] of [['finished', 'offline'], ['ended', 'reconnecting']] as const) {
      const performer = await site.performer();
      await site.rtmp.publishes(await keyOf(performer));
      site.engine.arrive();
      await site.settle();
      const tab = await site.socketOf(performer);
      site.engine.drop((await playbackOf(performer, performer)).stream, reason);
      await site.settle();
      expect(await tab.waitFor(broadcastStateChanged)).toMatchObject({ state });
      expect(await stateOf(performer)).toBe(state);
    }
  });

  it('ends it while its relay is lost, and nobody else\'s', async () => {
    const [performer, other] = [await site.performer(), await site.performer()];
    const keys = [await keyOf(performer), await keyOf(other)] as const;
    const session = sessionOf(await site.rtmp.publishes(keys[0]));
    site.engine.arrive();
    await site.settle();
    site.engine.loseRelay();
    await site.settle();
    site.rtmp.finishes(session, keys[1]);
    await site.settle();
    expect(await stateOf(performer)).toBe('reconnecting');
    const tab = await site.socketOf(performer);
    site.rtmp.finishes(session, keys[0]);
    await site.settle();
    expect(await tab.waitFor(broadcastStateChanged))
      .toMatchObject({ state: 'offline', reason: 'performer' });
  });
});

describe('losing the relay', () => {
  it('interrupts every broadcast at once, notifies tabs, and resumes when publishers reconnect', async () => {
    const [one, two] = [await site.performer(), await site.performer()];
    const keys = [await keyOf(one), await keyOf(two)] as const;
    const lost = sessionOf(await site.rtmp.publishes(keys[0]));
    await publishes(two, keys[1]);
    site.engine.arrive();
    await site.settle();
    const tabs = [await site.socketOf(one), await site.socketOf(two)];
    const streams = [(await playbackOf(one, one)).stream, (await playbackOf(two, two)).stream];
    site.engine.loseRelay();
    await site.settle();
    for (const tab of tabs) {
      expect(await tab.waitFor(broadcastStateChanged)).toMatchObject({ state: 'reconnecting' });
    }
    expect([await stateOf(one), await stateOf(two)]).toEqual(['reconnecting', 'reconnecting']);
    // The RTMP encoder stays connected: its ingest opens another session.
    expect((await site.rtmp.publishes(keys[0], { lost })).admitted).toBe(true);
    expect((await publishes(two, keys[1])).status).toBe(201);
    site.engine.arrive();
    await site.settle();
    await site.passes(30_000);
    expect([await stateOf(one), await stateOf(two)]).toEqual(['online', 'online']);
    expect([(await playbackOf(one, one)).stream, (await playbackOf(two, two)).stream]).toEqual(streams);
  });

  it('does not resume a session that was ended or replaced on purpose', async () => {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const replaced = sessionOf(await site.rtmp.publishes(key));
    const lost = sessionOf(await site.rtmp.publishes(key));
    site.engine.arrive();
    await site.settle();
    expect((await site.rtmp.publishes(key, { lost: replaced })).admitted).toBe(false);
    expect(await stateOf(performer)).toBe('online');
    await performer.call(endBroadcast, {});
    expect((await site.rtmp.publishes(key, { lost })).admitted).toBe(false);
    expect(await stateOf(performer)).toBe('offline');
    await site.passes(2 * 60_000);
    expect((await site.rtmp.publishes(key)).admitted).toBe(true);
  });
});

describe('the performer’s tabs', () => {
  it('receive every state of the broadcast, and nobody else does', async () => {
    const performer = await site.performer();
    const [tab, other] = [await site.socketOf(performer), await site.socketOf(await site.viewer())];
    const key = await keyOf(performer);
    await publishes(performer, key);
    site.engine.arrive();
    await site.settle();
    site.engine.drop((await playbackOf(performer, performer)).stream, 'silent');
    await site.settle();
    await publishes(performer, key);
    site.engine.arrive();
    await site.settle();
    await performer.call(endBroadcast, {});
    await site.settle();
    await tab.waitFor(broadcastStateChanged, ({ state }) => state === 'offline');
    const states = tab.events.filter(({ name }) => name === broadcastStateChanged.name);
    expect(states.map(({ payload }) => payload)).toMatchObject([
      { state: 'ready', reason: null },
      { state: 'online' },
      { state: 'reconnecting' },
      { state: 'online' },
      { state: 'offline', reason: 'performer' },
    ]);
    expect(other.events.map(({ name }) => name)).not.toContain(broadcastStateChanged.name);
  });
});

describe('without RTMP', () => {
  it.each([[{ rtmpPortIsTaken: true }], [{ settings: { rtmpPort: null } }]])(
    'everything else works, and no RTMP URL is given: %j',
    async (options) => {
      const bare = await createSite(options);
      const performer = await bare.performer();
      expect((await performer.call(getOwnBroadcast, {})).rtmpUrl).toBeNull();
      await performer.goesLive();
      expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
      await bare.close();
    },
  );
});

it('logs no errors', () => expect(site.log).toEqual([]));
