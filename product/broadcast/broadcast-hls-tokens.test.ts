import { seal } from '#platform/data/database/seal.ts';
import { logout } from '#product/accounts/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import {
  claimOf,
  index,
  playlist,
  PURPOSE,
  segment,
  tokensIn,
  watchesLive,
} from '#product/testkit/media/hls-client.ts';
import { media, playbackOf, plays } from '#product/testkit/media/media-client.ts';
import { SECRET } from '#product/testkit/site-options.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast } from './contract.ts';
import { whep } from './contract/webrtc.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const watching = (region?: string) => watchesLive(site, region);

describe('attacks on playlists and segments', () => {
  /** Whether a token grants anything at all. */
  async function opens(who: Visitor, stream: string, token: string | undefined): Promise<number[]> {
    const replies = [
      await index(who, stream, token),
      await playlist(who, stream, token),
      await playlist(who, stream, token, '360'),
      await segment(who, stream, token),
      await segment(who, stream, token, 'init.mp4'),
    ];
    return replies.map(({ status }) => status);
  }
  const NOTHING = [403, 403, 403, 403, 403];

  it('a token with any field or character changed is refused', async () => {
    const { viewer, stream, token } = await watching();
    const other = await playbackOf(viewer, await site.performer({ live: true }));
    await playlist(viewer, stream, token);
    const claim = claimOf(token);
    const seconds = site.clock.now().getTime() / 1_000;
    const sealed = (change: object, secret = SECRET, purpose = PURPOSE): string =>
      seal(secret, purpose, { ...claim, ...change });
    const flipped = [...token].map((_, at) =>
      token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
    );
    const forged = [
      undefined,
      '',
      '.',
      'x.y',
      token.split('.')[0],
      `${token}.`,
      token.toUpperCase(),
      other.token,
      ...flipped.filter((_, at) => at % 7 === 0),
      sealed({}, 'another secret of some length'),
      sealed({}, SECRET, 'compliance.entry'),
      ...[
        { operatorId: claim.operatorId + 1 },
        { operatorId: String(claim.operatorId) },
        { stream: other.stream },
        { stream: `${stream}~360` },
        { stream: '' },
        { stream: [stream] },
        { holder: claimOf(other.token).holder.slice(1) },
        { holder: '' },
        { holder: null },
        { mode: 'private' },
        { mode: 'PUBLIC' },
        { mode: null },
        { expires: seconds },
        { expires: seconds - 1 },
        { expires: seconds + 61 },
        { expires: 1e300 },
        { expires: String(claim.expires) },
        { expires: undefined },
      ].map((change) => sealed(change)),
    ];
    for (const one of forged) expect(await opens(viewer, stream, one), one).toEqual(NOTHING);
    expect(await opens(viewer, stream, sealed({}))).toEqual([200, 200, 200, 200, 200]);
  });

  it('tokens of another stream, session or time are refused', async () => {
    const { performer, viewer, stream, token } = await watching();
    await playlist(viewer, stream, token);
    const other = await playbackOf(viewer, await site.performer({ live: true }));
    expect(await opens(viewer, other.stream, token)).toEqual(NOTHING);
    const thieves = [
      await site.viewer(),
      await site.anotherTabOf(viewer),
      performer,
      await site.visitor({ ofAge: true }),
      await site.visitor({ opened: false }),
    ];
    for (const thief of thieves) expect(await opens(thief, stream, token)).toEqual(NOTHING);
    site.clock.advance(60_000);
    expect((await index(viewer, stream, token)).status).toBe(403);
    expect((await segment(viewer, stream, token)).status).toBe(403);
    // After a minute the token and its leases have expired.
    expect(await opens(viewer, stream, token)).toEqual(NOTHING);
  });

  /** A name with a NUL is refused as invalid input, before any lookup. */
  const refusedAs = (name: string): number => (name.includes('\u0000') ? 422 : 404);

  it('renditions and files that are not offered are refused, whatever their names', async () => {
    const { viewer, stream, token } = await watching();
    await playlist(viewer, stream, token);
    for (const rendition of [
      '0',
      '1',
      '480',
      '720',
      '1080',
      '0360',
      '360.0',
      ' 360',
      '-360',
      'SOURCE',
      '~360',
      '..',
      '.',
      '%2e%2e',
      '../x',
      'source/',
      'source%00',
      `source~360`,
    ]) {
      expect((await playlist(viewer, stream, token, rendition)).status, rendition).toBe(404);
      expect((await segment(viewer, stream, token, '0.m4s', rendition)).status, rendition).toBe(404);
    }
    const files = [
      '1.m4s',
      '0.M4S',
      '0.m4s ',
      '..',
      '../0.m4s',
      '..%2f0.m4s',
      '%2e%2e%2f0.m4s',
      '/etc/passwd',
      '0.m4s/..',
      '0.m4s\u0000',
      '.m4s',
      '-.mp4',
      'a'.repeat(64),
      'live.m3u8x',
      'init.mp4?x',
      'index.m3u8',
    ];
    for (const file of files) {
      expect((await segment(viewer, stream, token, file)).status, file).toBe(refusedAs(file));
    }
    const raw = ['../../whip', '..%2f..%2fwhip', '%2e%2e/%2e%2e/0.m4s', '....//0.m4s', '0.m4s%2f..%2f..'];
    for (const path of raw) {
      const { statusCode } = await viewer.request({ url: `/hls/${stream}/source/${path}?token=${token}` });
      expect([400, 404], path).toContain(statusCode);
    }
    for (const name of [`${stream}~360`, `${stream}~`, `${stream}/x`, `${stream}%00`, stream.toUpperCase()]) {
      expect((await index(viewer, name, token)).status, name).toBe(403);
      expect((await plays(viewer, name, token)).status, name).toBe(403);
    }
  });

  it('the region is checked at each use', async () => {
    const { performer, viewer, stream, token } = await watching();
    await playlist(viewer, stream, token);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['US']));
    await site.settle();
    const abroad = { region: 'US-NY' };
    expect((await playlist(viewer, stream, token, 'source', abroad)).status).toBe(403);
    expect((await segment(viewer, stream, token, '0.m4s', 'source', abroad)).status).toBe(403);
    expect((await segment(viewer, stream, token)).status).toBe(200);
  });
});

describe('revocation takes effect on every path within a second', () => {
  /** What a viewer can still load over WHEP and HLS a moment after an event. */
  async function left(viewer: Visitor, stream: string, tokens: readonly string[]): Promise<{
    readers: number;
    open: number;
  }> {
    await site.settle();
    site.clock.advance(999);
    let open = 0;
    for (const token of tokens) {
      for (const reply of [
        await playlist(viewer, stream, token),
        await playlist(viewer, stream, token, '360'),
        await segment(viewer, stream, token),
        await segment(viewer, stream, token, '0.m4s', '360'),
        await plays(viewer, stream, token),
        await index(viewer, stream, token),
      ]) {
        if (reply.status < 400 && !reply.body.includes('ENDLIST')) open += 1;
      }
    }
    return { readers: site.engine.readersOf(stream) + site.engine.readersOf(`${stream}~360`), open };
  }
  async function watchingAll(region?: string) {
    const { performer, viewer, stream, token } = await watching(region);
    expect((await plays(viewer, stream, token)).status).toBe(201);
    expect((await media(viewer, whep, { stream, token, track: 'sd', body: TEST_OFFER })).status).toBe(201);
    const source = await playlist(viewer, stream, token);
    const low = await playlist(viewer, stream, token, '360');
    const tokens = [token, ...tokensIn(source), ...tokensIn(low)];
    expect((await segment(viewer, stream, tokens[1])).status).toBe(200);
    expect(await left(viewer, stream, [])).toEqual({ readers: 2, open: 0 });
    return { performer, viewer, stream, tokens };
  }
  const NONE = { readers: 0, open: 0 };

  it('by log-out', async () => {
    const { viewer, stream, tokens } = await watchingAll();
    await viewer.call(logout, {});
    expect(await left(viewer, stream, tokens)).toEqual(NONE);
  });

  it('by revoking the clearance', async () => {
    const { performer, viewer, stream, tokens } = await watchingAll();
    const { username } = performer;
    const admin = await site.admin();
    await admin.call(decideClearance, { username, decision: 'revoke', reason: 'consent withdrawn' });
    expect(await left(viewer, stream, tokens)).toEqual(NONE);
    expect((await playlist(viewer, stream, tokens[0])).code).toBe('playback_token_invalid');
  });

  it.each(['performer', 'viewer'] as const)('of the account of the %s', async (who) => {
    const { performer, viewer, stream, tokens } = await watchingAll();
    const person = who === 'viewer' ? viewer : performer;
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, person.id, order));
    expect(await left(viewer, stream, tokens)).toEqual(NONE);
  });

  it('by blocking a region', async () => {
    const { performer, viewer, stream, tokens } = await watchingAll('BR');
    const stays = await site.viewer();
    await plays(stays, stream, (await playbackOf(stays, performer)).token);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['BR']));
    expect(await left(viewer, stream, tokens)).toEqual({ readers: 1, open: 0 });
    expect((await playbackOf(stays, performer)).stream).toBe(stream);
  });

  it('by the end of the broadcast, but for segments that a player behind has not had yet', async () => {
    const { performer, viewer, stream, tokens } = await watchingAll();
    await performer.call(endBroadcast, {});
    // Each token opens the one segment of the stream and the one of its rendition.
    expect(await left(viewer, stream, tokens)).toEqual({ readers: 0, open: tokens.length * 2 });
    site.clock.advance(32_000);
    expect(await left(viewer, stream, tokens)).toEqual(NONE);
  });

  it('by a move, into another mode or the same', async () => {
    for (const mode of ['private', 'public'] as const) {
      const { performer, viewer, stream, tokens } = await watchingAll();
      await site.services.broadcast.move(site.scope, performer.id, mode);
      expect(await left(viewer, stream, tokens)).toEqual(NONE);
    }
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
