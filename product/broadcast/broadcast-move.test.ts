import { subscribe } from '#platform/contract/bind.ts';
import type { DeliveredFact } from '#platform/contract/fact.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { EngineRefused } from '#platform/streaming/engine.ts';
import { media, playbackOf, plays, publishes } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  broadcastEnded,
  broadcastHealth,
  broadcastInterrupted,
  broadcastMoved,
  broadcastResumed,
  endBroadcast,
  getOwnBroadcast,
  getPlayback,
  rotateStreamKey,
} from './contract.ts';
import { hlsPlaylist } from './contract/hls.ts';
import { getPreview, getThumbnail } from './contract/pictures.ts';
import { whipPatch } from './contract/webrtc.ts';
import { type PlaybackMode } from './rules.ts';

const SECRET = 'the secret of a site that only tests ever see';
const PURPOSE = 'broadcast.playback';

let site: TestSite;
const moves: DeliveredFact<typeof broadcastMoved>['payload'][] = [];
const facts: [string, number][] = [];
beforeAll(async () => {
  site = await createSite();
  await site.data.attach({
    deadlineHandlers: [],
    subscriptions: [
      subscribe(broadcastMoved, 'test.moved')(async ({ payload }) => void moves.push(payload)),
      ...[broadcastInterrupted, broadcastResumed, broadcastEnded].map((fact) =>
        subscribe(fact, `test.${fact.name}`)(async ({ payload: { performerId } }) =>
          void facts.push([fact.name, performerId])
        )
      ),
    ],
  });
});
afterAll(() => site.close());

const move = (performer: Member, mode: PlaybackMode) =>
  site.services.broadcast.move(site.scope, performer.id, mode);
const streamOf = async ({ id }: Member): Promise<string> =>
  (await site.tx((tx) => site.services.broadcast.viewOf(tx, id))).stream ?? '';
const stateOf = async (performer: Member): Promise<string> =>
  (await performer.call(getOwnBroadcast, {})).state;
const factsOf = ({ id }: Member): string[] => facts.filter(([, who]) => who === id).map(([name]) => name);
const refusalOf = async (viewer: Visitor, { username }: Member): Promise<string> =>
  (await viewer.refused(getPlayback, { username })).errorType;

describe('a move', () => {
  it('gives the broadcast another stream name: the publisher stays, every reader is cut', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const old = await playbackOf(viewer, performer);
    await plays(viewer, old.stream, old.token);
    const moved = await move(performer, 'public');
    expect(moved?.stream).toMatch(/^[\w-]{22}$/);
    expect(moved?.stream).not.toBe(old.stream);
    expect([site.engine.readersOf(old.stream), site.engine.streams.includes(old.stream)]).toEqual([0, false]);
    await site.settle();
    const { id: performerId, username } = performer;
    expect(moves.at(-1)).toEqual({ performerId, username, stream: moved?.stream, mode: 'public' });
    expect(await stateOf(performer)).toBe('online');
    expect(factsOf(performer)).toEqual([]);
    expect((await plays(viewer, old.stream, old.token)).code).toBe('stream_offline');
    expect((await plays(viewer, moved?.stream ?? '', old.token)).code).toBe('playback_token_invalid');
    const fresh = await playbackOf(viewer, performer);
    expect(fresh.stream).toBe(moved?.stream);
    expect((await plays(viewer, fresh.stream, fresh.token)).status).toBe(201);
  });

  it('does nothing while the performer is offline', async () => {
    const performer = await site.performer();
    expect(await move(performer, 'private')).toBeNull();
    await publishes(performer, (await performer.call(rotateStreamKey, {})).stream_key);
    expect(await move(performer, 'private')).toBeNull();
    site.engine.arrive();
    await site.settle();
    expect(await move(performer, 'private')).not.toBeNull();
    await performer.call(endBroadcast, {});
    expect(await move(performer, 'public')).toBeNull();
  });

  it('keeps health, and ignores reports under the old name', async () => {
    const performer = await site.performer({ live: true });
    const tab = await site.socketOf(performer);
    const from = await streamOf(performer);
    await move(performer, 'public');
    const viewer = await site.viewer();
    const { stream: to, token } = await playbackOf(viewer, performer);
    await plays(viewer, to, token);
    site.engine.measure(to, { framesPerSecond: 21 });
    expect(await tab.waitFor(broadcastHealth)).toMatchObject({ stream: to, framesPerSecond: 21 });
    expect((await performer.call(getOwnBroadcast, {})).health).toMatchObject({ framesPerSecond: 21 });
    const session = String((await performer.goesLive()).split('/').at(-1));
    for (const stream of [from, 'a name of nobody']) {
      site.engine.report({ kind: 'down', stream, session, reason: 'silent' });
      site.engine.report({ kind: 'up', stream, session: 'another' });
    }
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
    expect(await performer.call(endBroadcast, {})).toMatchObject({ peakViewers: 1 });
  });

  it('keeps the URL of the publish session: it can be patched and ended', async () => {
    const performer = await site.performer();
    const key = (await performer.call(rotateStreamKey, {})).stream_key;
    const { session } = await publishes(performer, key);
    site.engine.arrive();
    await site.settle();
    await move(performer, 'private');
    const body = 'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\n';
    const patched = await media(performer, whipPatch, { session, body }, {
      bearer: key,
      headers: { 'if-match': '*' },
    });
    expect(patched.status).toBe(204);
    site.engine.drop(await streamOf(performer), 'silent');
    await site.settle();
    expect(await stateOf(performer)).toBe('reconnecting');
  });

  it('holds for a publisher that reconnects later', async () => {
    const performer = await site.performer();
    const key = (await performer.call(rotateStreamKey, {})).stream_key;
    await publishes(performer, key);
    site.engine.arrive();
    await site.settle();
    site.engine.drop(await streamOf(performer), 'silent');
    await site.settle();
    const moved = await move(performer, 'private');
    expect(moved).not.toBeNull();
    await publishes(performer, key);
    expect(site.engine.streams).toContain(moved?.stream);
    site.engine.arrive();
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
    expect(await refusalOf(await site.viewer(), performer)).toBe('stream_offline');
  });

  it('changes nothing when the engine fails', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const before = await playbackOf(viewer, performer);
    const { move: real } = site.engine;
    const broken = site.engine as { move: typeof real };
    broken.move = async () => {
      throw new EngineRefused('unavailable', 'the relay restarts');
    };
    await expect(move(performer, 'private')).rejects.toThrow('the relay restarts');
    broken.move = real;
    expect((await playbackOf(viewer, performer)).stream).toBe(before.stream);
    expect((await plays(viewer, before.stream, before.token)).status).toBe(201);
    site.engine.measure(before.stream);
    await site.settle();
    expect(await stateOf(performer)).toBe('online');
  });
});

describe('a private broadcast', () => {
  it('is played only to the performer and to admitted viewers', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    await move(performer, 'private');
    expect(await refusalOf(viewer, performer)).toBe('stream_offline');
    expect(await refusalOf(await site.admin(), performer)).toBe('stream_offline');
    const own = await playbackOf(performer, performer);
    expect((await plays(performer, own.stream, own.token)).status).toBe(201);
    expect((await plays(viewer, own.stream, own.token)).code).toBe('playback_token_invalid');
  });

  it('refuses tokens of the other mode, even with the right stream name', async () => {
    const performer = await site.performer({ live: true });
    const { token } = await playbackOf(performer, performer);
    await move(performer, 'private');
    const stream = await streamOf(performer);
    const claim = unseal(SECRET, PURPOSE, token) as object;
    for (const [mode, status] of [['public', 403], ['private', 201]] as const) {
      const forged = seal(SECRET, PURPOSE, { ...claim, stream, mode });
      expect((await plays(performer, stream, forged)).status).toBe(status);
    }
    await move(performer, 'public');
    const again = await streamOf(performer);
    for (const [mode, status] of [['public', 201], ['private', 403]] as const) {
      const forged = seal(SECRET, PURPOSE, { ...claim, stream: again, mode });
      expect((await plays(performer, again, forged)).status).toBe(status);
    }
  });

  it('has no thumbnail or preview', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { username } = performer;
    const stream = await streamOf(performer);
    expect(site.outputs.watched).toContain(stream);
    for (const call of [getThumbnail, getPreview]) {
      expect((await media(viewer, call, { username })).status).toBe(200);
    }
    await move(performer, 'private');
    expect(site.outputs.watched).not.toContain(stream);
    expect(site.outputs.watched).not.toContain(await streamOf(performer));
    for (const call of [getThumbnail, getPreview]) {
      for (const who of [viewer, performer]) {
        expect((await media(who, call, { username })).code).toBe('picture_unknown');
      }
    }
    await move(performer, 'public');
    expect(site.outputs.watched).toContain(await streamOf(performer));
    expect((await media(viewer, getThumbnail, { username })).status).toBe(200);
  });

  it('has no thumbnail while it becomes private, whoever goes live meanwhile', async () => {
    const performer = await site.performer({ live: true });
    const from = await streamOf(performer);
    const other = await site.performer();
    await publishes(other, (await other.call(rotateStreamKey, {})).stream_key);
    const next = site.engine.streams.at(-1) ?? '';
    const watched: string[] = [];
    const { move: real } = site.engine;
    const slow = site.engine as { move: typeof real };
    slow.move = async (...names) => {
      await real(...names);
      // The stream already has its new name, but is not saved as private yet.
      site.engine.arriveAt(next);
      while (!site.outputs.watched.includes(next)) await site.tx(async () => undefined);
      watched.push(...site.outputs.watched);
    };
    await move(performer, 'private');
    slow.move = real;
    expect(watched).toContain(next);
    for (const name of [from, await streamOf(performer)]) expect(watched).not.toContain(name);
  });

  it('stays private over an interruption, and the next broadcast is public again', async () => {
    const performer = await site.performer({ live: true });
    await move(performer, 'private');
    site.engine.drop(await streamOf(performer), 'silent');
    await site.settle();
    const viewer = await site.viewer();
    await performer.goesLive();
    expect(await refusalOf(viewer, performer)).toBe('stream_offline');
    site.engine.drop(await streamOf(performer), 'silent');
    await site.settle();
    await site.passes(30_000);
    await performer.goesLive();
    expect((await playbackOf(viewer, performer)).stream).toBe(await streamOf(performer));
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));

/** Runs last: facts of later tests would wait behind those of a thousand moves. */
describe('a thousand moves', () => {
  it('never admit an older token', { timeout: 120_000 }, async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const older: { stream: string; token: string }[] = [];
    let opened = 0;
    for (let turn = 0; turn < 1_000; turn += 1) {
      // Few assertions per move, so that a thousand fit into one test.
      if (turn % 25 === 0) older.push(await playbackOf(viewer, performer));
      const moved = await move(performer, 'public');
      if (turn % 25 !== 0) continue;
      const { stream = '' } = moved ?? {};
      for (const { stream: name, token } of older.slice(-3)) {
        for (const target of [name, stream]) {
          if ((await plays(viewer, target, token)).status < 400) opened += 1;
          const input = { stream: target, rendition: 'source', token };
          if ((await media(viewer, hlsPlaylist, input)).status < 400) opened += 1;
        }
      }
    }
    expect(opened).toBe(0);
    expect(new Set(older.map(({ stream }) => stream)).size).toBe(older.length);
    expect(site.engine.streams.filter((name) => older.some(({ stream }) => stream === name))).toEqual([]);
    expect(await stateOf(performer)).toBe('online');
  });
});
