import { VirtualClock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished, type TestContext } from 'vitest';
import { freeUdpPort } from '../../conformance/network/free-port.ts';
import { World } from '../../conformance/world.ts';
import { BRIDGED_FOR_PUBLISHERS, MAX_BRIDGED } from '../../limits.ts';
import type { Transport } from '../../wire/sdp.ts';
import { writeBindingRequest } from '../../wire/stun.ts';
import { createEmbeddedEngine } from '../embedded-engine.ts';
import { TurnBridge } from './turn-bridge.ts';

const LONG = { timeout: 40_000 };
const ZERO = Buffer.alloc(8);
const PASSWORD = 'a-password-of-twenty-two';
const valueOf = (sdp: string, name: string): string =>
  new RegExp(`^a=${name}:(\\S+)`, 'mu').exec(sdp)?.[1] ?? '';
/** Message types of STUN: a success and an error response to a binding request. */
const [SUCCESS, ERROR] = [0x0101, 0x0111];

/** The type of the first answer to a check at a port of this machine. */
async function answerTo(request: Buffer, port: number, address = '127.0.0.1'): Promise<number> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  const answered = once(socket, 'message');
  socket.send(request, port, address);
  const [bytes] = await answered as [Buffer];
  socket.close();
  return bytes.readUInt16BE(0);
}

it('a peer whose ICE tiebreaker is 0, as behind TURN over TCP, has a way in', LONG, async (context) => {
  const udpPort = await freeUdpPort(2);
  const engine = createEmbeddedEngine({ udpPort, hasTurnPorts: true, bindAddress: '127.0.0.1' });
  await engine.start();
  const world = new World(engine, engine.local);
  context.onTestFinished(async () => {
    await world.close();
    await engine.close();
  });
  const publisher = await world.peers().publisher();
  const { answer, session } = await engine.publish('one', publisher.offer, { owner: 'anna' });
  expect(answer.match(/typ host/gu)).toHaveLength(2);
  expect(answer).toContain(` 1 127.0.0.1 ${udpPort + 1} typ host`);
  const check = (tiebreaker: Buffer): Buffer =>
    writeBindingRequest({
      user: `${valueOf(answer, 'ice-ufrag')}:${valueOf(publisher.offer, 'ice-ufrag')}`,
      password: valueOf(answer, 'ice-pwd'),
      tiebreaker,
      id: randomBytes(12),
    });
  // How the native side responds. Once it no longer refuses these checks, the bridge is not needed any more.
  expect(await answerTo(check(ZERO), udpPort)).toBe(ERROR);
  expect(await answerTo(check(ZERO), udpPort + 1)).toBe(SUCCESS);
  // Other peers use the relay's own port, where media costs less.
  const other = createSocket('udp4');
  let answers = 0;
  other.on('message', () => {
    answers += 1;
  });
  other.send(check(randomBytes(8)), udpPort + 1, '127.0.0.1');
  expect(await answerTo(check(ZERO), udpPort + 1)).toBe(SUCCESS);
  expect(answers).toBe(0);
  other.close();
  await engine.end(session);
});

const hasSix = Object.values(networkInterfaces()).flat().some((item) => item?.address === '::1');

it.runIf(hasSix).each([['2001:db8::7', '::1'], ['192.0.2.7', '127.0.0.1']])(
  'such a peer has a way in, too, where the public address is %s',
  LONG,
  async (publicAddress, local) => {
    const udpPort = await freeUdpPort(2);
    const engine = createEmbeddedEngine({ udpPort, hasTurnPorts: true, publicAddress });
    await engine.start();
    const world = new World(engine, engine.local);
    onTestFinished(async () => {
      await world.close();
      await engine.close();
    });
    const publisher = await world.peers().publisher();
    const { answer, session } = await engine.publish('one', publisher.offer, { owner: 'anna' });
    expect(answer).toContain(` 1 ${publicAddress} ${udpPort + 1} typ host`);
    const check = writeBindingRequest({
      user: `${valueOf(answer, 'ice-ufrag')}:${valueOf(publisher.offer, 'ice-ufrag')}`,
      password: valueOf(answer, 'ice-pwd'),
      tiebreaker: ZERO,
      id: randomBytes(12),
    });
    expect(await answerTo(check, udpPort + 1, local)).toBe(SUCCESS);
    await engine.end(session);
  },
);

/** A bridge with two sessions, and a relay that records what reaches it. */
async function bridged({ onTestFinished }: TestContext, first: string, second: string): Promise<{
  readonly bridge: TurnBridge;
  readonly clock: VirtualClock;
  readonly relay: Socket;
  readonly transports: readonly [Transport, Transport];
  /** Another session of the relay begins. */
  readonly begins: (user: string, isPublisher: boolean) => void;
  /** A peer sends bytes, or a check of its session. */
  readonly peer: (user: string) => (bytes?: Buffer) => Promise<void>;
}> {
  const [port, clock] = [await freeUdpPort(2), new VirtualClock()];
  const relay = createSocket('udp4');
  relay.bind(port + 1, '127.0.0.1');
  await once(relay, 'listening');
  const bridge = new TurnBridge({
    port,
    relayPort: port + 1,
    bindAddress: '127.0.0.1',
    clock,
    nowMs: () => clock.now().getTime(),
  });
  await bridge.open();
  onTestFinished(() => {
    bridge.close();
    relay.close();
  });
  const transportOf = (user: string): Transport => ({
    attributes: [`a=ice-ufrag:${user}`, `a=ice-pwd:${PASSWORD}`],
    candidates: [],
  });
  const transports = [transportOf(first), transportOf(second)] as const;
  for (const transport of transports) bridge.offer(transport, { isPublisher: false });
  const begins = (user: string, isPublisher: boolean): void =>
    void bridge.offer(transportOf(user), { isPublisher });
  const peer = (user: string) => {
    const socket = createSocket('udp4');
    onTestFinished(() => void socket.close());
    const check = (): Buffer =>
      writeBindingRequest({
        user: `${user}:peer`,
        password: PASSWORD,
        tiebreaker: ZERO,
        id: randomBytes(12),
      });
    return (bytes = check()): Promise<void> =>
      new Promise((sent) => socket.send(bytes, port, '127.0.0.1', () => sent()));
  };
  return { bridge, clock, relay, transports, begins, peer };
}

it('a session that comes from 200 addresses leaves room for others', LONG, async (context) => {
  const { relay, peer } = await bridged(context, 'greedy', 'quiet');
  const arrived = new Set<string>();
  relay.on('message', (bytes: Buffer) => arrived.add(bytes.includes('quiet:peer') ? 'quiet' : 'greedy'));
  for (let at = 0; at < 200; at += 1) await peer('greedy')();
  await expect.poll(() => arrived.has('greedy')).toBe(true);
  await peer('quiet')();
  await expect.poll(() => arrived.has('quiet')).toBe(true);
});

it('however many watch over it, somebody who publishes has a way in', LONG, async (context) => {
  const { begins, relay, peer } = await bridged(context, 'viewer0', 'viewer1');
  const arrived = new Set<string>();
  relay.on(
    'message',
    (bytes: Buffer) => arrived.add(/[a-z]+\d*(?=:peer)/u.exec(bytes.toString('latin1'))?.[0] ?? ''),
  );
  for (let at = 2; at < MAX_BRIDGED; at += 1) begins(`viewer${at}`, false);
  begins('star', true);
  for (let at = 0; at < MAX_BRIDGED; at += 1) await peer(`viewer${at}`)();
  await expect.poll(() => arrived.size).toBe(MAX_BRIDGED - BRIDGED_FOR_PUBLISHERS);
  await peer('star')();
  await expect.poll(() => arrived.has('star')).toBe(true);
  expect(arrived.size).toBe(MAX_BRIDGED - BRIDGED_FOR_PUBLISHERS + 1);
});

it(
  'a peer that sends stays one to the relay, a silent one is forgotten, as all are after the session',
  LONG,
  async (context) => {
    const { bridge, clock, relay, transports, peer } = await bridged(context, 'lively', 'silent');
    const arrived: { readonly what: string; readonly port: number }[] = [];
    relay.on('message', (bytes: Buffer, { port }) => {
      const user = ['lively', 'silent'].find((text) => bytes.includes(`${text}:peer`));
      arrived.push({ what: user ?? bytes.toString(), port });
    });
    const ofUser = (user: string): number[] =>
      arrived.filter(({ what }) => what === user).map(({ port }) => port);
    const [lively, silent] = [peer('lively'), peer('silent')];
    const comes = async (sends: (bytes?: Buffer) => Promise<void>, what: string): Promise<void> => {
      const before = ofUser(what).length;
      await sends();
      await expect.poll(() => ofUser(what).length).toBe(before + 1);
    };
    await comes(silent, 'silent');
    for (let seconds = 0; seconds <= 90; seconds += 2) {
      await comes(lively, 'lively');
      clock.advance(2_000);
    }
    expect(ofUser('lively')).toHaveLength(46);
    expect(new Set(ofUser('lively')).size).toBe(1);
    // Only a peer that the bridge still knows may send anything but a check.
    await silent(Buffer.from('media of the silent one'));
    await lively(Buffer.from('media of the lively one'));
    await comes(silent, 'silent');
    const media = (): string[] => arrived.map(({ what }) => what).filter((what) => what.startsWith('media'));
    expect(media()).toEqual(['media of the lively one']);
    bridge.forget(transports[0]);
    const before = ofUser('lively').length;
    await lively(Buffer.from('media after the end'));
    await lively();
    // Once checks from new sockets have arrived, everything sent before them must have arrived too.
    await comes(peer('silent'), 'silent');
    await comes(peer('silent'), 'silent');
    expect(media()).toEqual(['media of the lively one']);
    expect(ofUser('lively')).toHaveLength(before);
  },
);
