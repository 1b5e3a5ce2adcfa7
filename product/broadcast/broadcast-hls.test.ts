import { seal, unseal } from '#platform/data/database/seal.ts';
import { logout } from '#product/accounts/contract.ts';
import { decideClearance, declareAge } from '#product/compliance/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import {
  media,
  playbackOf,
  plays,
  type MediaOptions,
  type MediaReply,
} from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endBroadcast, getPlayback } from './contract.ts';
import { hlsIndex, hlsPlaylist, hlsSegment } from './contract/hls.ts';
import { whep, whepEnd } from './contract/webrtc.ts';
import { streamUrl, type PlaybackClaim } from './rules.ts';

const SECRET = 'the secret of a site that only tests ever see';
const PURPOSE = 'broadcast.playback';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
beforeEach(() => {
  site.outputs.refuseWith(null);
  site.outputs.on = true;
});
afterAll(() => site.close());

const index = (who: Visitor, stream: string, token: string | undefined, query: object = {}) =>
  media(who, hlsIndex, { stream, token, ...query });
const playlist = (
  who: Visitor,
  stream: string,
  token: string | undefined,
  rendition = 'source',
  options: MediaOptions = {},
) => media(who, hlsPlaylist, { stream, rendition, token }, options);
const segment = (
  who: Visitor,
  stream: string,
  token: string | undefined,
  file = '0.m4s',
  rendition = 'source',
  options: MediaOptions = {},
) => media(who, hlsSegment, { stream, rendition, file, token }, options);

/** URLs in a playlist, including those of its initialisation segments. */
const addressesIn = ({ body }: MediaReply): string[] => [
  ...[...body.matchAll(/URI="([^"]+)"/gu)].map(([, uri]) => uri ?? ''),
  ...body.split('\n').filter((line) => line !== '' && !line.startsWith('#')),
];
const tokensIn = (reply: MediaReply): string[] =>
  addressesIn(reply).map((uri) => new URL(uri, 'http://x').searchParams.get('token') ?? '');
const claimOf = (token: string): PlaybackClaim => unseal(SECRET, PURPOSE, token) as PlaybackClaim;

async function watching(region?: string): Promise<{
  performer: Member;
  viewer: Member;
  stream: string;
  token: string;
}> {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer({ region });
  if (region !== undefined) await viewer.call(declareAge, { of_age: true });
  return { performer, viewer, ...(await playbackOf(viewer, performer)) };
}

describe('the URL of a stream', () => {
  it('is built from edge, name and token, and plays over HLS on that edge [B-335, B-337]', async () => {
    const { performer, viewer } = await watching();
    const { username } = performer;
    const parts = await viewer.call(getPlayback, { username, kind: 'hls' });
    expect(parts).toMatchObject({ kind: 'hls', edge_servers: ['http://localhost'], hls: true });
    for (const [multitrack, track] of [[true, 'hd'], [false, 'hd'], [false, 'sd']] as const) {
      const built = new URL(streamUrl({ ...parts, type: 'hls', multitrack, track }) ?? '');
      expect(built.pathname).toBe(`/hls/${parts.stream_name}/index.m3u8`);
      expect([...built.searchParams.keys()]).toEqual(['token', 'multitrack', 'track']);
      const answered = await viewer.request({ url: built.pathname + built.search });
      expect(answered.statusCode).toBe(200);
      expect(answered.headers['content-type']).toBe('application/vnd.apple.mpegurl');
      const lines = answered.body.split('\n').filter((line) => /^\w/u.test(line));
      expect(lines.map((line) => line.split('/')[0])).toEqual(
        multitrack ? ['source', '360', '240'] : [track === 'sd' ? '360' : 'source'],
      );
    }
    const elsewhere = { ...parts, edge_servers: ['https://edge.example/', 'http://localhost'] };
    const { stream_name: name, token } = parts;
    expect(streamUrl({ ...elsewhere, type: 'hls', multitrack: true, track: 'hd' }))
      .toBe(`https://edge.example/hls/${name}/index.m3u8?token=${token}&multitrack=1&track=hd`);
    expect(streamUrl({ ...elsewhere, type: 'webrtc', multitrack: false, track: 'sd' }))
      .toBe(`https://edge.example/whep/${name}?token=${token}&multitrack=0&track=sd`);
  });

  it('plays over WebRTC on the edge too [B-334, B-336]', async () => {
    const { performer, viewer } = await watching();
    const parts = await viewer.call(getPlayback, { username: performer.username });
    expect(parts.kind).toBe('whep');
    const built = new URL(streamUrl({ ...parts, type: 'webrtc', multitrack: false, track: 'hd' }) ?? '');
    // Neither of the two outputs contains a URL, nor does the room data.
    const overHls = await viewer.call(getPlayback, { username: performer.username, kind: 'hls' });
    expect(overHls.kind).toBe('hls');
    const room = await viewer.request({ url: `/api/v1/chat/react/${performer.username}` });
    for (const text of [JSON.stringify(parts), JSON.stringify(overHls), room.body]) {
      expect(text).not.toMatch(/\/whep\/|\/hls\/|token=/u);
    }
    const { stream_name: name, token } = parts;
    expect(built.href)
      .toBe(`http://localhost/whep/${name}?token=${encodeURIComponent(token)}&multitrack=0&track=hd`);
    const joined = await viewer.request({
      method: 'POST',
      url: built.pathname + built.search,
      payload: TEST_OFFER,
      headers: { 'content-type': 'application/sdp' },
    });
    expect(joined.statusCode).toBe(201);
    expect(site.engine.readersOf(parts.stream_name)).toBe(1);
  });

  it('is null without an edge, a name or a token', () => {
    const parts = { edge_servers: ['http://e'], stream_name: 's', token: 't' };
    const rest = { type: 'hls', track: 'hd', multitrack: true } as const;
    for (const missing of [{ edge_servers: [] }, { stream_name: '' }, { token: '' }]) {
      expect(streamUrl({ ...parts, ...missing, ...rest })).toBeNull();
    }
  });
});

describe('hd and sd', () => {
  it('are the stream as published and a lower rendition of it, over WHEP and HLS [C-141]', async () => {
    const { viewer, stream, token } = await watching();
    const played = async (track: 'hd' | 'sd'): Promise<string> => {
      const before = new Map(site.engine.streams.map((name) => [name, site.engine.readersOf(name)]));
      const reply = await media(viewer, whep, { stream, token, track, body: TEST_OFFER });
      expect(reply.status).toBe(201);
      return site.engine.streams.find((name) => site.engine.readersOf(name) > (before.get(name) ?? 0)) ?? '';
    };
    expect(await played('hd')).toBe(stream);
    expect(await played('sd')).toBe(`${stream}~360`);
    const low = await playlist(viewer, stream, token, '360');
    expect(low.status).toBe(200);
    expect(site.outputs.segmented).toContain(`${stream}~360`);
    expect((await segment(viewer, stream, token, '0.m4s', '360')).body).toBe(`0.m4s of ${stream}~360`);
    expect((await segment(viewer, stream, token)).status, 'nobody asked for the source yet').toBe(404);
  });

  it('keep the lower rendition running only while it is watched over WHEP', async () => {
    const { viewer, stream, token } = await watching();
    const reply = await media(viewer, whep, { stream, token, track: 'sd', body: TEST_OFFER });
    const low = `${stream}~360`;
    const asked = site.outputs.wanted(low);
    site.engine.measure(stream);
    expect(site.outputs.wanted(low), 'who watches the stream itself needs no rendition').toBe(asked);
    site.engine.measure(low);
    expect(site.outputs.wanted(low)).toBe(asked + 1);
    await media(viewer, whepEnd, { session: String(reply.headers['location']).split('/').at(-1) ?? '' });
    site.engine.measure(low);
    expect(site.outputs.wanted(low)).toBe(asked + 1);
  });

  it('are listed in the descriptor when available', async () => {
    const { performer, viewer, stream } = await watching();
    const { username } = performer;
    const ask = () => viewer.call(getPlayback, { username, kind: 'hls' });
    expect(await ask()).toMatchObject({ hls: true, renditions: [360, 240], kind: 'hls' });
    site.engine.measure(stream, { codec: 'VP8' });
    expect(await ask()).toMatchObject({ hls: false, renditions: [], kind: 'whep' });
    site.engine.measure(stream, { codec: 'H264' });
    expect(await ask()).toMatchObject({ hls: true });
    site.outputs.on = false;
    expect(await ask()).toMatchObject({ hls: false, renditions: [], kind: 'whep' });
  });

  it('are refused with a reason when unavailable', async () => {
    const { viewer, stream, token } = await watching();
    const asked = async (): Promise<(string | null)[]> => [
      (await index(viewer, stream, token)).code,
      (await playlist(viewer, stream, token)).code,
      (await playlist(viewer, stream, token, '360')).code,
      (await media(viewer, whep, { stream, token, track: 'sd', body: TEST_OFFER })).code,
    ];
    const codes = {
      overloaded: 'overloaded',
      unavailable: 'overloaded',
      unsupported_codec: 'codec_unsupported',
      stream_offline: 'stream_offline',
    } as const;
    for (const [refusal, code] of Object.entries(codes)) {
      site.outputs.refuseWith(refusal as keyof typeof codes);
      expect(await asked(), refusal).toEqual([code, code, code, code]);
    }
    site.outputs.refuseWith('overloaded');
    const full = await index(viewer, stream, token);
    expect(full).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
  });
});

describe('playlists', () => {
  it('follow RFC 8216 and are not cached', async () => {
    const { viewer, stream, token } = await watching();
    const master = await index(viewer, stream, token, { multitrack: '1' });
    expect(master.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(master.body).toMatch(/^#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-STREAM-INF/);
    expect(master.body).toContain('RESOLUTION=640x480,CODECS="avc1.42e01f,mp4a.40.2"\nsource/live.m3u8?');
    expect(master.body).toMatch(/BANDWIDTH=\d+,RESOLUTION=480x360,CODECS="[^"]+"\n360\/live\.m3u8\?/);
    const first = await playlist(viewer, stream, token);
    expect(first.headers).toMatchObject({ 'cache-control': 'no-store' });
    const lines = first.body.split('\n');
    expect(lines.slice(0, 5)).toEqual([
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-DISCONTINUITY-SEQUENCE:0',
    ]);
    expect(lines[5]).toMatch(/^#EXT-X-MAP:URI="init\.mp4\?token=[\w.%-]+"$/);
    const firstFrame = new Date(site.clock.now().getTime() - 2_000).toISOString();
    expect(lines[6]).toBe(`#EXT-X-PROGRAM-DATE-TIME:${firstFrame}`);
    expect(lines[7]).toBe('#EXTINF:2.000,');
    expect(lines[8]).toMatch(/^0\.m4s\?token=/);
    expect(first.body).not.toContain('ENDLIST');
    for (let more = 0; more < 9; more += 1) site.outputs.produce(stream, more === 2);
    const later = await playlist(viewer, stream, token);
    expect(later.body).toContain('#EXT-X-MEDIA-SEQUENCE:2\n');
    expect(later.body).toMatch(/#EXT-X-DISCONTINUITY\n#EXT-X-PROGRAM-DATE-TIME/);
    expect(later.body.match(/EXT-X-MAP/gu)).toHaveLength(1);
    expect(addressesIn(later).map((uri) => uri.split('?')[0]))
      .toEqual(['init.mp4', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${number}.m4s`)]);
  });

  it('link to segments, which only the viewer\'s own cache may store', async () => {
    const { viewer, stream, token } = await watching();
    const listed = await playlist(viewer, stream, token);
    for (const uri of addressesIn(listed)) {
      const answered = await viewer.request({ url: `/hls/${stream}/source/${uri}` });
      expect(answered.statusCode).toBe(200);
      expect(answered.headers).toMatchObject({
        'content-type': 'video/mp4',
        'cache-control': 'private, max-age=3600, immutable',
      });
      expect(answered.body).toBe(`${uri.split('?')[0]} of ${stream}`);
    }
    // A shared cache asks for authorization with HEAD.
    const leave = async (who: Visitor, url: string): Promise<[number, string]> => {
      const { statusCode, body } = await who.request({ method: 'HEAD', url });
      return [statusCode, body];
    };
    const url = `/hls/${stream}/source/${addressesIn(listed)[1]}`;
    expect(await leave(viewer, url)).toEqual([200, '']);
    expect((await leave(await site.viewer(), url))[0]).toBe(403);
    expect((await leave(viewer, url.split('?')[0] ?? ''))[0]).toBe(403);
  });

  it('carry a token of their viewer in every URL, the same until it nearly expires', async () => {
    const { viewer, stream, token } = await watching();
    const addresses = new Map<string, Set<string>>();
    const changes: string[] = [];
    for (let second = 0; second < 120; second += 2) {
      const now = site.clock.now().getTime() / 1_000;
      const replies = [await playlist(viewer, stream, token)];
      if (second < 58) replies.push(await index(viewer, stream, token, { multitrack: '1' }));
      for (const reply of replies) {
        const tokens = tokensIn(reply);
        expect(tokens.length).toBeGreaterThan(1);
        for (const one of tokens) {
          const { expires, ...claim } = claimOf(one);
          expect({ ...claim, expires: 0 }).toEqual({ ...claimOf(token), expires: 0 });
          expect(expires - now).toBeGreaterThanOrEqual(20);
          expect(expires - now).toBeLessThanOrEqual(60);
          if (changes.at(-1) !== one) changes.push(one);
        }
      }
      for (const uri of addressesIn(replies[0]!)) {
        const name = uri.split('?')[0] ?? '';
        addresses.set(name, (addresses.get(name) ?? new Set()).add(uri));
      }
      site.outputs.produce(stream);
      site.clock.advance(2_000);
    }
    // 60 playlists, yet each segment has at most two addresses; the initialisation segment gets one per 40 s.
    expect(changes.length).toBeLessThanOrEqual(4);
    expect(changes).toHaveLength(new Set(changes).size);
    expect(addresses.get('init.mp4')?.size).toBe(changes.length);
    for (const [name, { size }] of addresses) if (name !== 'init.mp4') expect(size).toBeLessThanOrEqual(2);
  });

  it('outlive their token only while their player reloads them', async () => {
    const { viewer, stream, token } = await watching();
    for (let second = 0; second < 130; second += 2) {
      expect((await playlist(viewer, stream, token)).status).toBe(200);
      site.clock.advance(2_000);
    }
    // The lease covers only the playlist, and only its holder.
    expect((await segment(viewer, stream, token)).code).toBe('playback_token_invalid');
    expect((await index(viewer, stream, token)).code).toBe('playback_token_invalid');
    expect((await plays(viewer, stream, token)).code).toBe('playback_token_invalid');
    const thief = await site.viewer();
    expect((await playlist(thief, stream, token)).code).toBe('playback_token_invalid');
    expect((await playlist(viewer, 'another', token)).code).toBe('playback_token_invalid');
    expect((await playlist(viewer, stream, token)).status).toBe(200);
    site.clock.advance(60_000);
    expect((await playlist(viewer, stream, token)).code).toBe('playback_token_invalid');
  });
});

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
