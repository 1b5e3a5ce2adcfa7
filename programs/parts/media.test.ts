import { freePort } from '#platform/data/redis/testing.ts';
import { freeUdpPort } from '#platform/streaming/conformance/network/free-port.ts';
import { SOURCE } from '#platform/streaming/conformance/network/packet-source.ts';
import { World } from '#platform/streaming/conformance/world.ts';
import { closeMedia, type MediaPlane } from '#platform/streaming/media-plane.ts';
import { rtpPacket } from '#platform/streaming/wire/rtp.ts';
import { writeBindingRequest } from '#platform/streaming/wire/stun.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino, type Logger } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../config/config.ts';
import { localUrlOf } from './banner.ts';
import { createMedia } from './media.ts';
import { openSite } from './open-site.ts';

/** Time for forking children and for media, which runs in real time. */
const LONG = { timeout: 60_000 };
const root = fileURLToPath(new URL('../..', import.meta.url));
const silent = pino({ level: 'silent' });
const TURN = { TURN_URLS: 'turns:turn.example:443?transport=tcp', TURN_SECRET: 'turn-secret' };
/** Addresses of this machine that Firefox pairs its own with; a container bridge leads nowhere. */
const own = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses
    .filter(({ family, internal }) => name !== 'docker0' && family === 'IPv4' && !internal)
    .map(({ address }) => address)
);
/** The type of a STUN success response to a binding request. */
const SUCCESS = 0x0101;

/** Settings of a program with free ports and a folder of its own. */
async function settings(more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'candela-media-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return readConfig({
    PORT: String(await freePort()),
    MEDIA_PORT: String(await freeUdpPort(2)),
    RTMP_PORT: 'off',
    SIMULATOR_PORT: String(await freePort()),
    DATA_DIR: folder,
    ...more,
  }, ['--no-demo']);
}

/** The media plane of a program with these settings, and peers to try it with. */
async function media(more: Readonly<Record<string, string>> = {}, log: Logger = silent) {
  const config = await settings(more);
  const plane: MediaPlane = await createMedia(config, log);
  await plane.engine.start();
  const world = new World(plane.engine, plane.local);
  onTestFinished(async () => {
    await world.close();
    await closeMedia(plane);
  });
  return { config, plane, world, peers: world.peers() };
}

const valueOf = (sdp: string, name: string): string =>
  new RegExp(`^a=${name}:(\\S+)`, 'mu').exec(sdp)?.[1] ?? '';
/** Addresses and ports of the candidates in an answer. */
const offered = (answer: string): string[] =>
  [...answer.matchAll(/^a=candidate:.* (\S+ \d+) typ host/gmu)].map(([, at]) => at ?? '');

/** A port's response to a check as Chromium sends it through TURN over TCP, with tiebreaker 0. */
async function checks(port: number, answer: string, offer: string): Promise<number> {
  const socket = createSocket('udp4');
  const answered = once(socket, 'message');
  socket.send(
    writeBindingRequest({
      user: `${valueOf(answer, 'ice-ufrag')}:${valueOf(offer, 'ice-ufrag')}`,
      password: valueOf(answer, 'ice-pwd'),
      tiebreaker: Buffer.alloc(8),
      id: randomBytes(12),
    }),
    port,
    '127.0.0.1',
  );
  const [bytes] = await answered as [Buffer];
  socket.close();
  return bytes.readUInt16BE(0);
}

it(
  'a site with TURN over TCP names a second port to encoders and players, where its peers get in',
  LONG,
  async () => {
    const config = await settings(TURN);
    const { site, data, media: { engine } } = await openSite({
      root,
      config,
      log: silent,
      fromSource: false,
    });
    onTestFinished(() => site.stop());
    const { accounts, compliance, broadcast } = site.services;
    const { id } = await accounts.create(DEFAULT_SCOPE, {
      username: 'ivy',
      type: 'model',
      passwordHash: await accounts.hashPassword('a long password'),
      email: 'ivy@people.example',
      password: 'a long password',
      birthDate: '1994-05-17',
      roles: [],
      avatarUrl: null,
      displayName: 'Ivy',
      gender: 'f',
      about: '',
      languages: [],
    });
    const key = await data.tx(DEFAULT_SCOPE, async (tx) => {
      await compliance.clear(tx, id, null, 'seen by a test');
      return broadcast.makeStreamKey(tx, id);
    });
    const world = new World(engine);
    onTestFinished(() => world.close());
    const peers = world.peers();
    const { offer, accept } = await peers.publisher();
    const response = await fetch(`http://127.0.0.1:${config.port}/whip`, {
      method: 'POST',
      body: offer,
      headers: { 'authorization': `Bearer ${key}`, 'content-type': 'application/sdp' },
    });
    expect([response.status, response.headers.get('link')])
      .toEqual([201, expect.stringContaining('<turns:turn.example:443?transport=tcp>') as string]);
    const answer = await response.text();
    const bridge = config.mediaPort + 1;
    expect(offered(answer)).toContain(`127.0.0.1 ${bridge}`);
    expect(await checks(bridge, answer, offer)).toBe(SUCCESS);
    const session = response.headers.get('location')?.split('/').at(-1) ?? '';
    await accept({ session, answer });
    const { stream } = await world.reports.next('up');
    const reader = await peers.reader();
    const played = await world.admit(stream, reader.offer);
    expect(offered(played.answer)).toContain(`127.0.0.1 ${bridge}`);
    expect(await checks(bridge, played.answer, reader.offer)).toBe(SUCCESS);
  },
);

it.each([
  ['127.0.0.1', 'http://localhost:3130'],
  ['0.0.0.0', 'http://localhost:3130'],
  ['::', 'http://localhost:3130'],
  ['192.0.2.7', 'http://192.0.2.7:3130'],
  ['2001:db8::7', 'http://[2001:db8::7]:3130'],
])(
  'a site on %s is at %s for a browser on its machine',
  (host, address) => expect(localUrlOf({ host, port: 3_130 })).toBe(address),
);

it.each([
  ['::', {}, 'http://localhost:PORT'],
  ['0.0.0.0', { PUBLIC_URL: 'https://cam.example' }, 'https://cam.example'],
])(
  'what a site on %s sends by itself names it with its port, or by its public address',
  LONG,
  async (host, more, address) => {
    const port = String(await freePort());
    const config = await settings({ PORT: port, HOST: host, CANDELA_MODE: 'demo', ...more });
    const { site, data } = await openSite({
      root,
      config,
      log: silent,
      fromSource: false,
      roles: ['worker'],
    });
    onTestFinished(() => site.stop());
    const { siteId } = DEFAULT_SCOPE;
    expect(await data.tx(DEFAULT_SCOPE, (tx) => site.services.site.addressIn(tx, siteId)))
      .toBe(address.replace('PORT', port));
  },
);

it.for(
  [
    ['without TURN', {}],
    ['with TURN over UDP', { ...TURN, TURN_URLS: 'turn:turn.example?transport=udp' }],
  ] as const,
)(
  'a site %s offers loopback first, then the machine’s own addresses, and no second port',
  LONG,
  async ([, more], { skip }) => {
    const { config, plane, peers } = await media(more);
    const { offer } = await peers.publisher();
    const at = offered((await plane.engine.publish('one', offer, { owner: 'ivy' })).answer);
    expect(at[0]).toBe(`127.0.0.1 ${config.mediaPort}`);
    expect(at.filter((text) => !text.endsWith(` ${config.mediaPort}`))).toEqual([]);
    skip(own.length === 0, 'this machine has no address but loopback');
    expect(at.slice(1)).toEqual(expect.arrayContaining(own.map((text) => `${text} ${config.mediaPort}`)));
  },
);

it.each([
  ['', {}, [0]],
  [', at both of its ports with TURN over TCP', TURN, [0, 1]],
  [', at both of its ports with TURN over TCP among its ICE servers', {
    ICE_SERVERS: '[{"urls":"turn:t.example?transport=tcp","username":"me","credential":"secret"}]',
  }, [0, 1]],
])('a site behind NAT offers its public address alone%s', LONG, async (_what, more, ports) => {
  const { config, plane, peers } = await media({
    HOST: '0.0.0.0',
    CANDELA_MODE: 'demo',
    PUBLIC_IP: '192.0.2.7',
    ...more,
  });
  const { offer } = await peers.publisher();
  const { answer } = await plane.engine.publish('one', offer, { owner: 'ivy' });
  expect(offered(answer)).toEqual(ports.map((beyond) => `192.0.2.7 ${config.mediaPort + beyond}`));
});

/** Payloads of a keyframe in four packets, and of another frame, for each codec. */
const FRAMES = {
  H264: { key: ['1800026742000268ce', '7c8588', '7c0588', '7c4588'], other: '6188' },
  VP8: { key: ['90808001109d012a', '80808001ff', '80808001fe', '80808001fd'], other: '9080800111' },
} as const;

it.each(['H264', 'VP8'] as const)(
  'who waits sees a keyframe whose first packet is late, in %s',
  LONG,
  async (codec) => {
    const { world, peers } = await media();
    // The publisher sends audio by itself, and only those video packets that are sent here.
    const publisher = await world.publish(peers, 'one', 'ivy', { codec, framesPerSecond: 0 });
    const sends = (payload: string, sequence: number, timestamp: number) =>
      publisher.sendRaw([rtpPacket({
        payloadType: SOURCE.videoType,
        ssrc: SOURCE.videoSsrc,
        marker: sequence % 5 === 0,
        sequence,
        timestamp,
      }, Buffer.from(payload, 'hex'))]);
    const { key, other } = FRAMES[codec];
    await sends(other, 5, 3_000);
    const reader = await peers.reader({ codec });
    await reader.accept(await world.admit('one', reader.offer));
    await reader.seen.until('sound comes', ({ audioPackets }) => audioPackets > 5);
    for (const at of [1, 2, 3, 0]) await sends(key[at] ?? '', 6 + at, 6_000);
    const { beganWithKeyframe } = await reader.seen.until('all of it', (seen) => seen.videoPackets > 3);
    expect(beganWithKeyframe).toBe(true);
  },
);

it('a relay that ends is in the log', LONG, async () => {
  const lines: string[] = [];
  const { plane } = await media({}, pino({ level: 'error' }, { write: (line) => void lines.push(line) }));
  const { relayPids } = plane.engine as MediaPlane['engine'] & { relayPids: () => number[] };
  process.kill(relayPids.call(plane.engine)[0] as number, 'SIGKILL');
  await expect.poll(() => lines.join('')).toContain('a relay ended; it is started again');
});

it('RTMP listens on loopback with a site that does, and nowhere when it is off', LONG, async () => {
  const port = await freePort();
  const { plane: { rtmp } } = await media({ RTMP_PORT: String(port) });
  await rtmp?.start(async () => ({ admitted: false, reason: 'not here' }));
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  await expect(once(connect(port, '127.0.0.2'), 'connect')).rejects.toThrow();
  expect((await media()).plane.rtmp).toBeNull();
});
