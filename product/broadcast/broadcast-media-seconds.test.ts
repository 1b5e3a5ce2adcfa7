import { VirtualClock } from '#platform/data/clock.ts';
import type { StreamHealth } from '#platform/streaming/engine.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast, getPlayback } from './contract.ts';
import { hlsIndex, hlsPlaylist, hlsSegment } from './contract/hls.ts';
import { whep, whepEnd } from './contract/webrtc.ts';
import { MAX_METERED_PEOPLE, MEDIA_SECONDS_RETAINED_MS } from './rules/media-seconds.ts';
import { MediaMeter } from './server/playback/media-seconds.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A private stream that only its performer may watch until a show admits others. */
async function inPrivate(): Promise<{ performer: Member; stream: string; token: string }> {
  const performer = await site.performer({ live: true });
  await site.services.broadcast.move(site.scope, performer.id, 'private');
  return { performer, ...(await playbackOf(performer, performer)) };
}

const secondsOf = (streamName: string, { id: personId }: Member) =>
  site.services.broadcast.mediaSeconds({ streamName, personId });

/** Lets seconds pass, each with a report of the stream and of others. */
function pass(seconds: number, health: Partial<StreamHealth>, ...streams: readonly string[]): void {
  for (let second = 0; second < seconds; second += 1) {
    site.clock.advance(1_000);
    for (const stream of streams) site.engine.measure(stream, health);
  }
}

const fetches = (who: Visitor, stream: string, token: string, file: string, rendition = 'source') =>
  media(who, hlsSegment, { stream, rendition, file, token });

describe('the seconds of a private stream', () => {
  it('are those in which the performer sent media and the person was sent some', async () => {
    const { performer, stream, token } = await inPrivate();
    pass(2, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 2, sent: 0 });
    const { session } = await plays(performer, stream, token);
    pass(3, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 5, sent: 3 });
    site.engine.sends(session, 0);
    pass(4, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 9, sent: 3 });
    site.engine.sends(session, 1);
    pass(1, {}, stream);
    pass(5, { videoBitsPerSecond: 0, audioBitsPerSecond: 0 }, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 10, sent: 4 });
    await media(performer, whepEnd, { session });
    pass(2, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 12, sent: 4 });
  });

  it('pass without a count while the engine reports nothing', async () => {
    const { performer, stream, token } = await inPrivate();
    await plays(performer, stream, token);
    site.clock.advance(10_000);
    expect(secondsOf(stream, performer)).toEqual({ received: 0, sent: 0 });
    pass(1, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 1, sent: 1 });
  });

  it('are nobody\'s but the viewer\'s, and none of a public stream or a name of nobody', async () => {
    const { performer, stream, token } = await inPrivate();
    const other = await site.viewer();
    await plays(performer, stream, token);
    expect((await plays(other, stream, token)).code).toBe('playback_token_invalid');
    pass(2, {}, stream);
    expect(secondsOf(stream, other)).toEqual({ received: 2, sent: 0 });
    expect(secondsOf('a name of nobody', performer)).toEqual({ received: 0, sent: 0 });
    const open = await site.performer({ live: true });
    const seen = await playbackOf(other, open);
    await plays(other, seen.stream, seen.token);
    expect(site.engine.meteredReadersOf(seen.stream)).toEqual([]);
    pass(2, {}, seen.stream);
    expect(secondsOf(seen.stream, other)).toEqual({ received: 0, sent: 0 });
  });

  it('count once for a person with two browsers and two sizes', async () => {
    const { performer, stream, token } = await inPrivate();
    await media(performer, hlsIndex, { stream, token, multitrack: '1' });
    const tab = await site.anotherTabOf(performer);
    const second = await playbackOf(tab, performer);
    const input = { stream, body: TEST_OFFER, track: 'sd' } as const;
    expect((await media(tab, whep, input, { bearer: second.token })).status).toBe(201);
    const small = site.engine.streams.find((name) => name.startsWith(`${stream}~`)) ?? '';
    pass(3, {}, stream, small);
    expect(secondsOf(stream, performer)).toEqual({ received: 3, sent: 3 });
    await plays(performer, stream, token);
    pass(3, {}, stream, small);
    expect(secondsOf(stream, performer)).toEqual({ received: 6, sent: 6 });
  });

  it('end with the move: late reports of the old name count for nothing', async () => {
    const { performer, stream, token } = await inPrivate();
    const { session } = await plays(performer, stream, token);
    pass(3, {}, stream);
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    const next = await playbackOf(performer, performer);
    const late = { codec: 'H264', videoBitsPerSecond: 1, audioBitsPerSecond: 1, framesPerSecond: 1 } as const;
    const health: StreamHealth = {
      ...late,
      stream,
      session,
      lossFraction: 0,
      roundTripMs: 0,
      keyframeIntervalMs: 0,
      viewers: 1,
      trouble: null,
      bFrames: null,
    };
    const readers = [{ session, isSent: true, received: [0], lost: [] }];
    site.engine.report({ kind: 'health', health, readers });
    expect(secondsOf(stream, performer)).toEqual({ received: 3, sent: 3 });
    // Nor does a session of the old name count under the new one.
    site.engine.report({
      kind: 'health',
      health: { ...health, stream: next.stream },
      readers,
    });
    expect(secondsOf(next.stream, performer)).toEqual({ received: 1, sent: 0 });
    await plays(performer, next.stream, next.token);
    pass(2, {}, next.stream);
    expect(secondsOf(next.stream, performer)).toEqual({ received: 3, sent: 2 });
  });

  it('can be read for two minutes after the broadcast has ended, for the last payment', async () => {
    const { performer, stream, token } = await inPrivate();
    await plays(performer, stream, token);
    pass(3, {}, stream);
    await performer.call(endBroadcast, {});
    await site.passes(MEDIA_SECONDS_RETAINED_MS - 1_000);
    expect(secondsOf(stream, performer)).toEqual({ received: 3, sent: 3 });
    await site.passes(61_000);
    expect(secondsOf(stream, performer)).toEqual({ received: 0, sent: 0 });
  });
});

describe('the seconds of a private stream over HLS', () => {
  it('are those of the segments that the person fetched, once each and in any order', async () => {
    const { performer, stream, token } = await inPrivate();
    await media(performer, hlsPlaylist, { stream, rendition: 'source', token });
    for (let more = 0; more < 3; more += 1) {
      pass(2, {}, stream);
      site.outputs.produce(stream);
    }
    expect(secondsOf(stream, performer)).toEqual({ received: 6, sent: 0 });
    expect((await fetches(performer, stream, token, 'init.mp4')).status).toBe(200);
    expect(secondsOf(stream, performer).sent).toBe(0);
    for (const file of ['3.m4s', '1.m4s', '3.m4s']) {
      expect((await fetches(performer, stream, token, file)).status).toBe(200);
    }
    expect(secondsOf(stream, performer).sent).toBe(4);
    const other = await site.viewer();
    expect((await fetches(other, stream, token, '2.m4s')).status).toBe(403);
    expect((await fetches(performer, stream, token, '99.m4s')).status).toBe(404);
    expect([secondsOf(stream, performer).sent, secondsOf(stream, other).sent]).toEqual([4, 0]);
    // A shared cache that has the bytes asks for them with HEAD.
    const url = `/hls/${stream}/source/2.m4s?token=${encodeURIComponent(token)}`;
    expect((await performer.request({ method: 'HEAD', url })).statusCode).toBe(200);
    expect(secondsOf(stream, performer).sent).toBe(6);
  });

  it('do not count again what came over WHEP, nor the other way round', async () => {
    const { performer, stream, token } = await inPrivate();
    await media(performer, hlsPlaylist, { stream, rendition: 'source', token });
    pass(2, {}, stream);
    site.outputs.produce(stream);
    await fetches(performer, stream, token, '1.m4s');
    const { session } = await plays(performer, stream, token);
    pass(2, {}, stream);
    expect(secondsOf(stream, performer)).toEqual({ received: 4, sent: 4 });
    site.outputs.produce(stream);
    await fetches(performer, stream, token, '2.m4s');
    await media(performer, whepEnd, { session });
    expect(secondsOf(stream, performer)).toEqual({ received: 4, sent: 4 });
  });

  it('are none for segments of a public stream', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream_name: stream, token } = await viewer.call(getPlayback, {
      username: performer.username,
      kind: 'hls',
    });
    await media(viewer, hlsPlaylist, { stream, rendition: 'source', token });
    expect((await fetches(viewer, stream, token, '0.m4s')).status).toBe(200);
    expect(secondsOf(stream, viewer)).toEqual({ received: 0, sent: 0 });
  });
});

describe('the meter', () => {
  it('counts no more seconds than pass for a person whose two players report at different moments', () => {
    const meter = new MediaMeter(new VirtualClock());
    for (let second = 0; second < 60; second += 1) {
      const readers = [0, 1].map((player) => ({
        session: String(player),
        isSent: true,
        received: second % 2 === player ? [1, 0] : [],
        lost: [],
      }));
      meter.measured(health('two'), readers, () => 7);
    }
    // The first of these seconds had ended before anything was reported.
    expect(meter.of({ streamName: 'two', personId: 7 }).sent).toBe(61);
    meter.close();
  });

  const health = (stream: string): StreamHealth => ({
    stream,
    session: 'p',
    codec: 'H264',
    videoBitsPerSecond: 1,
    audioBitsPerSecond: 0,
    framesPerSecond: 30,
    lossFraction: 0,
    roundTripMs: null,
    keyframeIntervalMs: null,
    viewers: 1,
    trouble: null,
    bFrames: null,
  });

  it('knows which seconds a rendition speaks of that was away for three of them', () => {
    const meter = new MediaMeter(new VirtualClock());
    const second = (isSmallThere: boolean, received: readonly number[]): void => {
      const big = { session: 'big', isSent: !isSmallThere, received: isSmallThere ? [] : [0], lost: [] };
      meter.measured(health('one'), [big], () => 7);
      const small = { session: 'small', isSent: isSmallThere, received: [...received], lost: [] };
      if (isSmallThere) meter.measured(health('one~360'), [small], () => 7);
    };
    for (const isSmallThere of [true, true, false, false, false]) second(isSmallThere, []);
    // The first two seconds were two reports ago and one report ago.
    second(true, [2, 1, 0]);
    expect(meter.of({ streamName: 'one', personId: 7 }).sent).toBe(6);
    meter.close();
  });

  it('knows people apart, leaves guests out, and stops at its limit', () => {
    const meter = new MediaMeter(new VirtualClock());
    const people = Array.from({ length: MAX_METERED_PEOPLE + 1 }, (_, id) => id);
    const readers = people.map((id) => ({
      session: String(id),
      isSent: id !== 1,
      received: id === 1 ? [] : [0],
      lost: [],
    }));
    meter.measured(health('one'), readers, (session) => (session === '2' ? null : Number(session)));
    const sent = (personId: number): number => meter.of({ streamName: 'one', personId }).sent;
    expect([0, 1, 2, 3].map(sent)).toEqual([1, 0, 0, 1]);
    for (const sessions of [['-1', '-2'], ['-2', '0']]) {
      const some = sessions.map((session) => ({ session, isSent: true, received: [0], lost: [] }));
      meter.measured(health('one'), some, Number);
    }
    expect([-1, -2, 0].map(sent)).toEqual([1, 0, 2]);
    meter.close();
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
