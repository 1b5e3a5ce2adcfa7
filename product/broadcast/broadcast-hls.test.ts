import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import {
  addressesIn,
  claimOf,
  index,
  playlist,
  segment,
  tokensIn,
  watchesLive,
} from '#product/testkit/media/hls-client.ts';
import { media, plays } from '#product/testkit/media/media-client.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getPlayback } from './contract.ts';
import { whep, whepEnd } from './contract/webrtc.ts';
import { streamUrl } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
beforeEach(() => {
  site.outputs.refuseWith(null);
  site.outputs.on = true;
});
afterAll(() => site.close());

const watching = () => watchesLive(site);

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

it('logs no errors', () => expect(site.log).toEqual([]));
