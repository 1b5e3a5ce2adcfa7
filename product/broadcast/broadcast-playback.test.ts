import { seal, unseal } from '#platform/data/database/seal.ts';
import { logout } from '#product/accounts/contract.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { media, playbackOf, plays, type MediaReply } from '#product/testkit/media/media-client.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endBroadcast, getPlayback } from './contract.ts';
import { hlsIndex, hlsPlaylist, hlsSegment } from './contract/hls.ts';
import { getPortrait, getPreview, getThumbnail } from './contract/pictures.ts';
import { whep, whepEnd } from './contract/webrtc.ts';
import type { PlaybackClaim } from './rules.ts';

const SECRET = 'the secret of a site that only tests ever see';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('watching', () => {
  it('lets a viewer watch a live performer, whatever the case of the name [A-007, B-288]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const shouted = ` ${performer.username.toUpperCase()} `;
    const playback = await viewer.call(getPlayback, { username: shouted });
    expect(playback.kind).toBe('whep');
    expect(playback.stream_name).toBe((await playbackOf(viewer, performer)).stream);
    const seconds = (Date.parse(playback.expiresAt) - site.clock.now().getTime()) / 1_000;
    expect(seconds > 0 && seconds <= 60).toBe(true);
    const stream = playback.stream_name;
    const joined = await plays(viewer, stream, playback.token);
    expect(joined).toMatchObject({ status: 201, headers: { 'content-type': 'application/sdp' } });
    expect(joined.headers.location).toMatch(/^\/whep\/session\/[\w-]{22}$/);
    expect(site.engine.readersOf(stream)).toBe(1);
    expect((await media(viewer, whepEnd, { session: joined.session })).status).toBe(200);
    expect(site.engine.readersOf(stream)).toBe(0);
    expect((await media(viewer, whepEnd, { session: joined.session })).code).toBe('session_unknown');
    const guest = await site.visitor({ ofAge: true });
    expect((await plays(guest, stream, (await playbackOf(guest, performer)).token)).status).toBe(201);
    expect(site.engine.readersOf(stream)).toBe(1);
  });
});

describe('playback tokens', () => {
  const claimOf = (token: string): PlaybackClaim =>
    unseal(SECRET, 'broadcast.playback', token) as PlaybackClaim;
  const sealed = (claim: object, secret = SECRET, purpose = 'broadcast.playback'): string =>
    seal(secret, purpose, claim);

  it('are refused when any field or character is changed', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    const claim = claimOf(token);
    const seconds = site.clock.now().getTime() / 1_000;
    const other = await playbackOf(viewer, await site.performer({ live: true }));
    const wrong = [
      null,
      '',
      'x',
      token.slice(0, -1),
      `${token}A`,
      `A${token}`,
      token.replace('.', '..'),
      other.token,
      sealed(claim, 'another secret of some length'),
      sealed(claim, SECRET, 'compliance.entry'),
      ...[
        { operatorId: 2 },
        { stream: other.stream },
        { holder: claimOf(other.token).holder.slice(1) },
        { mode: 'private' },
        { mode: null },
        { expires: seconds },
        { expires: seconds + 3_600 },
        { expires: null },
      ].map((change) => sealed({ ...claim, ...change })),
    ];
    for (const forged of wrong) {
      const refused = await plays(viewer, stream, forged);
      expect(refused).toMatchObject({ status: 403, code: 'playback_token_invalid' });
    }
    expect(site.engine.readersOf(stream)).toBe(0);
    expect((await plays(viewer, stream, sealed(claim))).status).toBe(201);
    // For players that cannot set headers, the token is in the URL.
    const inAddress = await media(viewer, whep, { stream, body: TEST_OFFER }, { query: `?token=${token}` });
    expect(inAddress.status).toBe(201);
  });

  it('are for one session and one stream, and expire after a minute', async () => {
    const performer = await site.performer({ live: true });
    const other = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    const guest = await site.visitor({ ofAge: true });
    const tab = await site.anotherTabOf(viewer);
    for (const thief of [guest, tab, performer]) {
      expect((await plays(thief, stream, token)).code).toBe('playback_token_invalid');
    }
    const elsewhere = (await playbackOf(viewer, other)).stream;
    expect((await plays(viewer, elsewhere, token)).code).toBe('playback_token_invalid');
    site.clock.advance(59_000);
    expect((await plays(viewer, stream, token)).status).toBe(201);
    site.clock.advance(1_000);
    expect((await plays(viewer, stream, token)).code).toBe('playback_token_invalid');
  });

  it('are refused after log-out, and playback stops', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const stays = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    await plays(viewer, stream, token);
    await plays(stays, stream, (await playbackOf(stays, performer)).token);
    expect(site.engine.readersOf(stream)).toBe(2);
    await viewer.call(logout, {});
    await site.settle();
    expect(site.engine.readersOf(stream)).toBe(1);
    expect((await plays(viewer, stream, token)).code).toBe('playback_token_invalid');
  });

  it('of a viewer without a session are bound to the IP address', async () => {
    const performer = await site.performer({ live: true });
    const bystander = await site.visitor({ ofAge: true });
    const entry = bystander.cookie('entry') ?? '';
    const [here, there] = [await site.visitor({ opened: false }), await site.visitor({ opened: false })];
    for (const visitor of [here, there]) visitor.setCookie('entry', entry);
    const { stream, token } = await playbackOf(here, performer);
    expect((await plays(there, stream, token)).code).toBe('playback_token_invalid');
    expect((await plays(here, stream, token)).status).toBe(201);
    // The session that starts with the page's first call does not stop playback.
    await here.opens();
    expect((await plays(here, stream, token)).status).toBe(201);
  });

  it('are neither issued to nor accepted from viewers who may not perceive the performer', async () => {
    const performer = await site.performer({ live: true });
    const { username } = performer;
    const abroad = await site.viewer({ region: 'BR', ofAge: false });
    expect((await abroad.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['US']));
    expect((await plays(viewer, stream, token)).status).toBe(201);
    const moved = await media(viewer, whep, { stream, body: TEST_OFFER }, { bearer: token, region: 'US-NY' });
    expect(moved).toMatchObject({ status: 403, code: 'playback_token_invalid' });
    viewer.setCookie('entry', 'gone');
    expect((await plays(viewer, stream, token)).code).toBe('playback_token_invalid');
    expect((await viewer.refused(getPlayback, { username })).errorType).toBe('stream_offline');
    // The performer sees their own stream from every region.
    expect((await playbackOf(performer, performer)).stream).toBe(stream);
  });

  it('get a clear refusal when the media engine refuses', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { stream, token } = await playbackOf(viewer, performer);
    expect((await plays(viewer, stream, token, 'nonsense')).code).toBe('offer_malformed');
    const av1 = TEST_OFFER.replace('H264', 'AV1');
    expect((await plays(viewer, stream, token, av1)).code).toBe('codec_unsupported');
    site.engine.refuseWith('overloaded');
    expect(await plays(viewer, stream, token)).toMatchObject({ status: 429, code: 'overloaded' });
    site.engine.refuseWith(null);
    site.engine.drop(stream, 'silent');
    await site.settle();
    expect(await plays(viewer, stream, token)).toMatchObject({ status: 404, code: 'stream_offline' });
  });
});

describe('a slow join', () => {
  it('is refused when the viewer logs out or the stream moves meanwhile', async () => {
    const performer = await site.performer({ live: true });
    const { play } = site.engine;
    const slow = site.engine as { play: typeof play };
    const leaves = await site.viewer();
    const stays = await site.viewer();
    const meanwhile: readonly [Member, () => Promise<unknown>][] = [
      [leaves, async () => (await leaves.call(logout, {}), site.settle())],
      [stays, () => site.services.broadcast.move(site.scope, performer.id, 'public')],
    ];
    for (const [viewer, happens] of meanwhile) {
      const { stream, token } = await playbackOf(viewer, performer);
      slow.play = async (name, offer) => {
        const joined = await play(name, offer);
        await happens();
        return joined;
      };
      const { code } = await plays(viewer, stream, token);
      slow.play = play;
      expect(code).toBe('playback_token_invalid');
      expect(site.engine.readersOf(stream)).toBe(0);
    }
  });
});

describe('the room’s stream group', () => {
  it('counts 4 renditions, for viewers and those who may not watch, live or not [B-140]', async () => {
    const performer = await site.performer();
    const renditionsFor = async (who: Visitor): Promise<unknown> => {
      const room = await who.request({ url: `/api/v1/chat/react/${performer.username}` });
      return room.json<{ stream: { quality_renditions: number } }>().stream.quality_renditions;
    };
    const viewer = await site.viewer();
    expect(await renditionsFor(viewer)).toBe(4);
    await performer.goesLive();
    for (const who of [viewer, performer, await site.visitor({ ofAge: true })]) {
      expect(await renditionsFor(who)).toBe(4);
    }
  });

  it('has an edge server and a token only for viewers who may watch', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { broadcast } = site.services;
    const view = await site.tx((tx) => broadcast.viewOf(tx, performer.id));
    expect(view).toMatchObject({ state: 'online', performerId: performer.id, lastOnlineAt: null });
    const { token, stream } = await playbackOf(viewer, performer);
    expect(view.stream).toBe(stream);
    const context = {
      scope: site.scope,
      region: 'demo',
      address: '127.0.0.1',
      origin: 'http://localhost',
      caller: { kind: 'person', personId: viewer.id, sessionId: 's', username: 'x', roles: ['member'] },
    };
    const cookie = (name: string): string | null => viewer.cookie(name);
    const shown = await site.tx((tx) => broadcast.streamFor(tx, view, { ...context, cookie } as never));
    const edge = 'http://localhost';
    expect(shown).toEqual({
      edge_servers: [edge],
      stream_name: stream,
      token: shown.token,
      quality_renditions: 4,
      ffmpeg_server: null,
      ingest_server: null,
      origin_server: null,
      vr_url: null,
      width: null,
      height: null,
    });
    await media(viewer, hlsIndex, { stream, token });
    const sized = await site.tx((tx) => broadcast.streamFor(tx, view, { ...context, cookie } as never));
    expect(sized).toMatchObject({ width: 640, height: 480 });
    expect(typeof shown.token).toBe('string');
    expect(shown.token).not.toBe(token);
    const hidden = await site.tx((tx) =>
      broadcast.streamFor(tx, view, { ...context, cookie: () => null } as never)
    );
    expect(hidden).toMatchObject({ edge_servers: [], stream_name: null, token: null });
  });
});

describe('portraits', () => {
  it('are shown only to viewers who may perceive the performer', async () => {
    const performer = await site.performer();
    const picture = Buffer.from('RIFF0000WEBP not really a picture');
    const blobId = await site.blobs.put(picture);
    await site.tx((tx) => site.services.broadcast.setPortrait(tx, performer.id, blobId));
    const { username } = performer;
    const viewer = await site.viewer();
    const shown = await media(viewer, getPortrait, { username });
    expect(shown).toMatchObject({ status: 200, body: picture.toString() });
    expect(shown.headers).toMatchObject({ 'content-type': 'image/webp' });
    expect(shown.headers['cache-control']).toMatch(/private/);
    const faceless = await site.performer();
    const hidden = [
      await media(await site.visitor(), getPortrait, { username }),
      await media(viewer, getPortrait, { username }, { region: 'US-FL' }),
      await media(viewer, getPortrait, { username: faceless.username }),
      await media(viewer, getPortrait, { username: 'nobody-at-all' }),
    ];
    // All refusals are alike: they do not reveal whether the performer exists.
    for (const one of hidden) {
      expect(one).toMatchObject({ status: 404, code: 'portrait_unknown', body: hidden[0]?.body });
    }
  });
});

describe('thumbnails and previews', () => {
  it('are shown only to viewers who may perceive a live performer', async () => {
    const performer = await site.performer({ live: true });
    const offline = await site.performer();
    const { username } = performer;
    const { stream } = await playbackOf(await site.viewer(), performer);
    const viewer = await site.viewer();
    const kinds = [[getThumbnail, 'thumbnail', 'image/jpeg'], [getPreview, 'preview', 'video/mp4']] as const;
    for (const [call, kind, type] of kinds) {
      const shown = await media(viewer, call, { username: ` ${username.toUpperCase()}` });
      expect(shown).toMatchObject({ status: 200, body: `${kind} of ${stream}` });
      expect(shown.headers).toMatchObject({ 'content-type': type });
      expect(shown.headers['cache-control']).toMatch(/^private, max-age=\d+$/);
      const hidden = [
        await media(await site.visitor(), call, { username }),
        await media(viewer, call, { username }, { region: 'US-FL' }),
        await media(viewer, call, { username: offline.username }),
        await media(viewer, call, { username: 'nobody-at-all' }),
      ];
      for (const one of hidden) {
        expect(one).toMatchObject({ status: 404, code: 'picture_unknown', body: hidden[0]?.body });
      }
    }
    site.engine.drop(stream, 'silent');
    await site.settle();
    expect(site.outputs.watched).not.toContain(stream);
    expect((await media(viewer, getThumbnail, { username })).status).toBe(404);
  });

  it('are refused when the performer went private while they were made', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer();
    const { picture } = site.outputs;
    const slow = site.outputs as { picture: typeof picture };
    slow.picture = async (stream, kind) => {
      const made = await picture(stream, kind);
      await site.services.broadcast.move(site.scope, performer.id, 'private');
      return made;
    };
    const { code } = await media(viewer, getPreview, { username: performer.username });
    slow.picture = picture;
    expect(code).toBe('picture_unknown');
  });
});

describe('what an ended broadcast had last over HLS', () => {
  const playlist = (who: Visitor, stream: string, token: string, rendition = 'source') =>
    media(who, hlsPlaylist, { stream, rendition, token });
  const segment = (who: Visitor, stream: string, token: string | undefined, file = '0.m4s') =>
    media(who, hlsSegment, { stream, rendition: 'source', file, token });
  const addressesIn = ({ body }: MediaReply): string[] =>
    [...body.matchAll(/[\w-]+\.(?:m4s|mp4)\?token=[^"\s]+/gu)].map(([address]) => address);
  const tokensIn = (reply: MediaReply): string[] =>
    addressesIn(reply).map((uri) => new URL(uri, 'http://x').searchParams.get('token') ?? '');
  async function watching(region?: string) {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ region });
    if (region !== undefined) await viewer.call(declareAge, { of_age: true });
    return { performer, viewer, ...(await playbackOf(viewer, performer)) };
  }

  it('is listed with ENDLIST, and read until a player behind has had it', async () => {
    const { performer, viewer, stream, token } = await watching();
    await playlist(viewer, stream, token);
    // These segments are newer than the viewer's last playlist.
    for (let more = 0; more < 3; more += 1) site.outputs.produce(stream);
    await performer.call(endBroadcast, {});
    await site.settle();
    const after = await playlist(viewer, stream, token);
    expect(after.status).toBe(200);
    expect(after.body.endsWith('\n#EXT-X-ENDLIST\n')).toBe(true);
    const names = addressesIn(after).map((uri) => uri.split('?')[0]);
    expect(names).toEqual(['init.mp4', '0.m4s', '1.m4s', '2.m4s', '3.m4s']);
    const [own] = tokensIn(after);
    site.clock.advance(15_000);
    for (const name of names) expect((await segment(viewer, stream, own, name)).status, name).toBe(200);
    expect((await media(viewer, hlsIndex, { stream, token })).code).toBe('stream_offline');
    expect((await playlist(viewer, stream, token, '360')).code).toBe('stream_offline');
    expect(site.outputs.segmented).not.toContain(stream);
    expect((await segment(await site.viewer(), stream, own)).code).toBe('playback_token_invalid');
    site.clock.advance(18_000);
    const claim = unseal(SECRET, 'broadcast.playback', token) as PlaybackClaim;
    const expires = Math.floor(site.clock.now().getTime() / 1_000) + 30;
    const fresh = seal(SECRET, 'broadcast.playback', { ...claim, expires });
    expect(await segment(viewer, stream, fresh)).toMatchObject({ status: 404, code: 'segment_unknown' });
  });

  it('is not for who may not see the performer any more, nor of what is paid by the second', async () => {
    const shutOut = [
      async ({ id }: Member) => {
        await site.tx((tx) => site.services.compliance.blockRegions(tx, id, ['BR']));
      },
      async ({ id }: Member) => {
        const order = { suspended: true, actorId: null, reason: 'a test' };
        await site.tx((tx) => site.services.accounts.suspend(tx, id, order));
      },
    ];
    for (const shut of shutOut) {
      const { performer, viewer, stream, token } = await watching('BR');
      const [own] = tokensIn(await playlist(viewer, stream, token));
      await performer.call(endBroadcast, {});
      await site.settle();
      expect((await segment(viewer, stream, own)).status).toBe(200);
      await shut(performer);
      await site.settle();
      site.clock.advance(999);
      expect((await segment(viewer, stream, own)).code).toBe('playback_token_invalid');
      expect((await playlist(viewer, stream, token)).code).toBe('playback_token_invalid');
    }
    const performer = await site.performer({ live: true });
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    const { stream, token } = await playbackOf(performer, performer);
    const [own] = tokensIn(await playlist(performer, stream, token));
    expect((await segment(performer, stream, own)).status).toBe(200);
    await performer.call(endBroadcast, {});
    await site.settle();
    expect((await segment(performer, stream, own)).status).toBeGreaterThanOrEqual(400);
  });
});

it('logs no errors', () => expect(site.log).toEqual([]));
