import { TEST_ICE, TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays, publishes, type MediaReply } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getOwnBroadcast, getPlayback, makeBrowserKey, rotateStreamKey } from './contract.ts';
import {
  whep,
  whepEnd,
  whepOptions,
  whepPatch,
  whip,
  whipEnd,
  whipOptions,
  whipPatch,
} from './contract/webrtc.ts';

const TURN_SECRET = 'a secret shared with coturn';
const TURN_URLS = ['turn:turn.example?transport=udp', 'turns:turn.example?transport=tcp'];
const EVIL = 'https://evil.example';
const foreign = { origin: EVIL, 'sec-fetch-site': 'cross-site' };

let site: TestSite;
beforeAll(async () => {
  site = await createSite({
    settings: {
      ice: {
        servers: [
          { urls: ['stun:stun.example'] },
          { urls: ['turn:own.example'], username: 'me', credential: 'p"a\\ss' },
        ],
        turn: { urls: TURN_URLS, secret: TURN_SECRET },
      },
    },
  });
});
afterAll(() => site.close());

const keyOf = async (performer: Member): Promise<string> =>
  (await performer.call(rotateStreamKey, {})).stream_key;
const etagOf = ({ headers }: MediaReply): string => String(headers['etag']);
/** An SDP fragment as browsers write it. */
const fragment = (ufrag: string = TEST_ICE.ufrag, pwd: string = TEST_ICE.pwd): string =>
  [
    `a=ice-ufrag:${ufrag}`,
    `a=ice-pwd:${pwd}`,
    'm=audio 9 UDP/TLS/RTP/SAVPF 0',
    'a=mid:0',
    'a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw',
    '',
  ].join('\r\n');
const RESTART = fragment('ysXw', 'vw5LmwG4y/e6dPP/zAP9Gp5k');

interface Session {
  readonly patch: (ifMatch: string | undefined, body?: string, options?: object) => Promise<MediaReply>;
  readonly etag: string;
  readonly session: string;
  readonly who: Visitor;
  readonly key: string;
}

async function publishing(): Promise<Session> {
  const performer = await site.performer();
  const key = await keyOf(performer);
  const who = await site.visitor({ opened: false });
  const opened = await publishes(who, key);
  site.engine.arrive();
  await site.settle();
  const { session } = opened;
  return {
    session,
    who,
    key,
    etag: etagOf(opened),
    patch: (ifMatch, body = fragment(), options = {}) =>
      media(who, whipPatch, { session, body }, { bearer: key, headers: { 'if-match': ifMatch }, ...options }),
  };
}

async function watching(): Promise<Session> {
  const performer = await site.performer({ live: true });
  const who = await site.viewer();
  const { stream, token } = await playbackOf(who, performer);
  const opened = await plays(who, stream, token);
  const { session } = opened;
  return {
    session,
    who,
    key: token,
    etag: etagOf(opened),
    patch: (ifMatch, body = fragment(), options = {}) =>
      media(who, whepPatch, { session, body }, { headers: { 'if-match': ifMatch }, ...options }),
  };
}

it('a publisher\'s fragment needs If-Match; a player\'s may omit it', async () => {
  const untold = await (await publishing()).patch(undefined);
  expect(untold).toMatchObject({ status: 428, code: 'entity_tag_missing' });
  expect((await (await watching()).patch(undefined)).status).toBe(204);
});

describe.each([['a publisher', publishing], ['a player', watching]])('ICE of %s', (_who, begin) => {
  it('accepts candidates with the ETag of its session, with an empty reply', async () => {
    const { patch, etag } = await begin();
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    for (const match of [etag, `"other", ${etag}`, '*', '"*"']) {
      const noted = await patch(match);
      expect(noted).toMatchObject({ status: 204, body: '' });
      expect(noted.headers).not.toHaveProperty('etag');
      expect(noted.headers).not.toHaveProperty('content-type');
    }
  });

  it('accepts only the current ETag: 412 for any other', async () => {
    const { patch, etag } = await begin();
    for (const other of ['"x"', `W/${etag}`, etag.slice(1, -1), `${etag}x`, '', '"*x"']) {
      expect(await patch(other)).toMatchObject({ status: 412, code: 'entity_tag_outdated' });
    }
  });

  it('restarts with a new ETag', async () => {
    const { patch, etag } = await begin();
    const restarted = await patch('*', RESTART);
    expect(restarted.status).toBe(200);
    expect(restarted.headers).toMatchObject({ 'content-type': 'application/trickle-ice-sdpfrag' });
    expect(restarted.body).toMatch(/a=ice-ufrag:.+\r\na=ice-pwd:/u);
    expect(etagOf(restarted)).not.toBe(etag);
    expect((await patch(etag, RESTART)).status).toBe(412);
    expect((await patch(etagOf(restarted), RESTART)).status).toBe(204);
  });

  it('ignores candidates overtaken by a restart', async () => {
    const { patch, etag } = await begin();
    const { begun, finish } = site.engine.holdsRestart();
    const restart = patch('*', RESTART);
    await begun;
    const overtaken = patch(etag);
    finish();
    const [restarted, late] = await Promise.all([restart, overtaken]);
    expect([restarted.status, late.status]).toEqual([200, 412]);
    expect((await patch(etagOf(restarted), RESTART)).status).toBe(204);
  });

  it('keeps its session when a restart is not supported', async () => {
    const { patch, etag } = await begin();
    site.engine.canRestart = false;
    expect(await patch('*', RESTART)).toMatchObject({ status: 422, code: 'ice_restart_unsupported' });
    site.engine.canRestart = true;
    expect((await patch(etag)).status).toBe(204);
  });

  it('refuses other bodies, other types and other sessions', async () => {
    const { patch, etag } = await begin();
    for (const broken of ['', 'v=0', 'a=ice-ufrag:x', 'a=ice-pwd:x\r\na=candidate:1']) {
      const refused = { status: 400, code: 'ice_fragment_malformed' };
      expect(await patch(etag, broken), broken).toMatchObject(refused);
    }
    // A text that the database cannot store is refused.
    const unstorable = { status: 422, code: 'invalid_input' };
    expect(await patch(etag, '\u0000'.repeat(50))).toMatchObject(unstorable);
    expect((await patch(etag, fragment() + 'a=x\r\n'.repeat(5_000))).status).toBe(413);
    for (const type of ['application/sdp', 'application/json', 'text/plain']) {
      expect((await patch(etag, fragment(), { type })).status, type).toBe(415);
    }
    site.engine.refuseWith('unavailable');
    expect(await patch(etag)).toMatchObject({ status: 429, code: 'overloaded' });
    site.engine.refuseWith(null);
    expect((await patch(etag)).status).toBe(204);
  });
});

describe('a publish session', () => {
  it('belongs to the key that created it, and to no other key', async () => {
    const { session, etag, who, key, patch } = await publishing();
    const stranger = await site.performer();
    const own = await keyOf(stranger);
    const asks = async (bearer: string | null, id = session): Promise<string | null> => {
      const headers = { 'if-match': etag };
      return (await media(who, whipPatch, { session: id, body: fragment() }, { bearer, headers })).code;
    };
    expect(await asks(null)).toBe('stream_key_invalid');
    expect(await asks('sk_forged')).toBe('stream_key_invalid');
    expect(await asks(own)).toBe('session_unknown');
    expect(await asks(key, 'another')).toBe('session_unknown');
    expect((await media(who, whipEnd, { session }, { bearer: own })).code).toBe('session_unknown');
    expect((await patch(etag)).status).toBe(204);
    // This is how OBS ends its session.
    expect((await media(who, whipEnd, { session }, { bearer: key })).status).toBe(200);
    expect(await patch(etag)).toMatchObject({ status: 404, code: 'session_unknown' });
  });

  it('of the go-live page belongs to that page only, whatever other keys the performer has', async () => {
    const performer = await site.performer();
    const streamKey = await keyOf(performer);
    const { stream_key: key } = await performer.call(makeBrowserKey, {});
    const opened = await publishes(performer, key);
    const input = { session: opened.session, body: fragment() };
    const headers = { 'if-match': etagOf(opened) };
    const other = await media(performer, whipPatch, input, { bearer: streamKey, headers });
    expect(other.code).toBe('session_unknown');
    expect((await media(performer, whipPatch, input, { bearer: key, headers })).status).toBe(204);
    const tab = await site.anotherTabOf(performer);
    expect((await media(tab, whipPatch, input, { bearer: key, headers })).code).toBe('stream_key_invalid');
  });

  it('is not a play session, nor the other way round', async () => {
    const published = await publishing();
    const watched = await watching();
    const headers = { 'if-match': '*' };
    const body = fragment();
    const asPlayer = await media(watched.who, whepPatch, { session: published.session, body }, { headers });
    expect(asPlayer.code).toBe('session_unknown');
    const asPublisher = await media(
      published.who,
      whipPatch,
      { session: watched.session, body },
      { bearer: published.key, headers },
    );
    expect(asPublisher.code).toBe('session_unknown');
  });

  it('ends with its publisher and can no longer be patched', async () => {
    const { patch, etag } = await publishing();
    site.engine.drop(site.engine.streams.at(-1) ?? '', 'silent');
    await site.settle();
    expect((await patch(etag)).status).toBe(404);
  });
});

describe('OPTIONS', () => {
  it('lists the accepted bodies, and the ICE servers for a valid credential', async () => {
    const performer = await site.performer({ live: true });
    const key = await keyOf(await site.performer());
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    const replies = [
      await media(viewer, whipOptions, { body: '' }, { bearer: key }),
      await media(viewer, whepOptions, { stream, body: '' }, { bearer: token }),
      await media(viewer, whepOptions, { stream, token, body: '' }),
    ];
    for (const { status, headers } of replies) {
      expect(status).toBe(204);
      expect(headers).toMatchObject({ 'accept-post': 'application/sdp', allow: 'POST, OPTIONS' });
      expect(headers['link']).toMatch(/^<stun:stun\.example>; rel="ice-server", </);
    }
    const untold = [
      await media(viewer, whipOptions, { body: '' }),
      await media(viewer, whipOptions, { body: '' }, { bearer: 'sk_forged' }),
      await media(viewer, whipOptions, { body: '' }, { bearer: token }),
      await media(viewer, whepOptions, { stream, body: '' }),
      await media(viewer, whepOptions, { stream: 'other', body: '' }, { bearer: token }),
      await media(await site.viewer(), whepOptions, { stream, body: '' }, { bearer: token }),
    ];
    for (const { status, headers } of untold) {
      expect(status).toBe(204);
      expect(headers).toMatchObject({ 'accept-post': 'application/sdp' });
      expect(headers).not.toHaveProperty('link');
    }
  });

  it('lists ICE servers as links with every session, and never with a refusal', async () => {
    const performer = await site.performer();
    const refused = await publishes(performer, 'sk_forged');
    expect(refused.headers).not.toHaveProperty('link');
    const { headers } = await publishes(performer, await keyOf(performer));
    const links = String(headers['link']).split(/, (?=<)/u);
    expect(links.slice(0, 2)).toEqual([
      '<stun:stun.example>; rel="ice-server"',
      '<turn:own.example>; rel="ice-server"; username="me"; credential="p\\"a\\\\ss"; '
      + 'credential-type="password"',
    ]);
    expect(links.slice(2).map((link) => link.split('>')[0]?.slice(1))).toEqual(TURN_URLS);
    site.engine.arrive();
    await site.settle();
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    expect((await plays(viewer, stream, token)).headers['link']).toMatch(/^<stun:/);
  });

  it('gives pages ICE servers, and TURN credentials that expire', async () => {
    const performer = await site.performer();
    const { ice_servers: publishers } = await performer.call(makeBrowserKey, {});
    await performer.goesLive();
    const viewer = await site.viewer();
    const { ice_servers: players } = await viewer.call(getPlayback, { username: performer.username });
    for (const servers of [publishers, players]) {
      const [stun, own, turn] = servers;
      expect([stun?.urls, own?.urls]).toEqual([['stun:stun.example'], ['turn:own.example']]);
      expect(turn?.urls).toEqual(TURN_URLS);
      const [expiry] = (turn?.username ?? '').split(':');
      const hours = (Number(expiry) - site.clock.now().getTime() / 1_000) / 3_600;
      expect(hours > 8 && hours <= 24).toBe(true);
      const expected = createHmac('sha1', TURN_SECRET).update(turn?.username ?? '').digest('base64');
      expect(turn?.credential).toBe(expected);
    }
    expect(publishers[2]?.username).not.toBe(players[2]?.username);
    expect(JSON.stringify([publishers, players, site.log])).not.toContain(TURN_SECRET);
  });
});

describe('pages of other origins', () => {
  const preflight = (who: Visitor, url: string, method: string) =>
    who.request({
      method: 'OPTIONS',
      url,
      headers: {
        ...foreign,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,if-match',
      },
    });

  it('may use WHIP and WHEP with their own credentials', async () => {
    const who = await site.visitor({ opened: false });
    const paths = [['/whip', 'POST'], ['/whip/x', 'PATCH'], ['/whip/x', 'DELETE'], ['/whep/x', 'POST'], [
      '/whep/session/x',
      'PATCH',
    ], ['/whep/session/x', 'DELETE']] as const;
    for (const [url, method] of paths) {
      const { statusCode, headers } = await preflight(who, url, method);
      expect(statusCode).toBe(204);
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*' });
      expect(headers['access-control-allow-methods']).toContain(method);
      expect(headers['access-control-allow-headers']).toBe('authorization, content-type, if-match');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    const performer = await site.performer();
    const key = await keyOf(performer);
    const opened = await media(who, whip, { body: TEST_OFFER }, { bearer: key, headers: foreign });
    expect(opened.status).toBe(201);
    expect(opened.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    for (const name of ['location', 'etag', 'link']) {
      expect(opened.headers['access-control-expose-headers']).toContain(name);
    }
    // Refusals are readable too; otherwise the page would see a network failure.
    const refused = await media(who, whip, { body: TEST_OFFER }, { bearer: 'sk_no', headers: foreign });
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': '*' } });
    const { session } = opened;
    const headers = { ...foreign, 'if-match': etagOf(opened) };
    const input = { session, body: fragment() };
    expect((await media(who, whipPatch, input, { bearer: key, headers })).status).toBe(204);
    expect((await media(who, whipEnd, { session }, { bearer: key, headers: foreign })).status).toBe(200);
  });

  it.each([
    ['another site', foreign],
    ['another site without fetch metadata', { origin: EVIL, 'sec-fetch-site': undefined }],
    ['a sibling subdomain', { origin: 'http://evil.localhost', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['the same host over another scheme', { origin: 'https://localhost', 'sec-fetch-site': undefined }],
  ])('get nothing of a cookie that came along from %s', async (_what, headers) => {
    const performer = await site.performer();
    const { stream_key: key } = await performer.call(makeBrowserKey, {});
    // A stolen browser key in the victim's own browser: the cookie is sent, and must be ignored.
    const stolen = await media(performer, whip, { body: TEST_OFFER }, { bearer: key, headers });
    expect(stolen).toMatchObject({ status: 401, code: 'stream_key_invalid' });
    expect((await performer.call(getOwnBroadcast, {})).state).toBe('offline');
    expect((await publishes(performer, key)).status).toBe(201);
    site.engine.arrive();
    await site.settle();
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    const watched = await media(viewer, whep, { stream, body: TEST_OFFER }, { bearer: token, headers });
    expect(watched).toMatchObject({ status: 403, code: 'playback_token_invalid' });
    expect((await plays(viewer, stream, token)).status).toBe(201);
  });

  it('may use nothing else', async () => {
    const performer = await site.performer();
    const other = [
      '/api/v1/broadcast',
      '/api/v1/broadcast/browser_key',
      `/portraits/${performer.username}`,
      `/api/v1/video/playback/${performer.username}`,
      '/hls/x/index.m3u8',
      '/hls/x/source/live.m3u8',
      '/hls/x/source/0.m4s',
      `/thumbs/t/${performer.username}`,
    ];
    for (const url of other) {
      for (const answer of [
        await preflight(performer, url, 'GET'),
        await performer.request({ url, headers: foreign }),
      ]) {
        const open = Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
        expect(open, url).toEqual([]);
      }
    }
  });
});

it('takes encoders whose address has a slash too many, and says what it is in a browser', async () => {
  const who = await site.visitor({ opened: false });
  for (const address of ['/whip/', '//whip', '/whip//']) {
    const performer = await site.performer();
    const key = await keyOf(performer);
    const headers = { authorization: `Bearer ${key}` };
    const opened = await who.request({
      method: 'POST',
      url: address,
      payload: TEST_OFFER,
      headers: { ...headers, 'content-type': 'application/sdp', 'x-csrf-token': undefined },
    });
    expect(opened.statusCode, address).toBe(201);
    const location = String(opened.headers.location);
    expect(location).toMatch(/^\/whip\/[\w-]+$/u);
    const ended = await who.request({ method: 'DELETE', url: `${location}/`, headers });
    expect(ended.statusCode).toBe(200);
    const read = await who.request({ url: address, headers: { accept: 'text/html' } });
    expect([read.statusCode, read.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    expect(read.json()).toMatchObject({ methods: { POST: 'Publish (WHIP, RFC 9725)' } });
  }
  for (const url of ['/whep/x', '/whip/x', '/whep/session/x']) {
    expect((await who.request({ url })).statusCode, url).toBe(405);
  }
});

it('gives a player that was cut for its silence the reason, and no other', async () => {
  const [silent, other] = [await watching(), await watching()];
  site.engine.cutSilent(silent.session);
  await site.settle();
  const reasonOf = (
    { status, body }: MediaReply,
  ) => [status, (JSON.parse(body) as { reason?: string }).reason];
  expect(reasonOf(await silent.patch(undefined))).toEqual([404, 'no_receiver_reports']);
  expect(reasonOf(await media(silent.who, whepEnd, { session: silent.session })))
    .toEqual([404, 'no_receiver_reports']);
  expect((await media(other.who, whepEnd, { session: other.session })).status).toBe(200);
  expect(reasonOf(await media(other.who, whepEnd, { session: other.session }))).toEqual([404, undefined]);
});

it('plays and ends using only the Location header, as standard clients do', async () => {
  const { who, session } = await watching();
  expect((await media(who, whepEnd, { session }, { headers: foreign })).status).toBe(200);
  expect((await media(who, whepEnd, { session })).code).toBe('session_unknown');
});

it('logs no errors', () => expect(site.log).toEqual([]));
