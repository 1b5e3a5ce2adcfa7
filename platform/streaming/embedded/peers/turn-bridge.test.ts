import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { freeUdpPort } from '../../conformance/network/free-port.ts';
import { World } from '../../conformance/world.ts';
import { systemClock } from '#platform/data/clock.ts';
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

/** The type of the first answer to a check at a port. */
async function answerTo(request: Buffer, port: number): Promise<number> {
  const socket = createSocket('udp4');
  const answered = once(socket, 'message');
  socket.send(request, port, '127.0.0.1');
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
  const check = (tiebreaker: Buffer): Buffer => writeBindingRequest({
    user: `${valueOf(answer, 'ice-ufrag')}:${valueOf(publisher.offer, 'ice-ufrag')}`,
    password: valueOf(answer, 'ice-pwd'), tiebreaker, id: randomBytes(12),
  });
  // What the native side does with it: when this is no longer so, the bridge is not needed any more.
  expect(await answerTo(check(ZERO), udpPort)).toBe(ERROR);
  expect(await answerTo(check(ZERO), udpPort + 1)).toBe(SUCCESS);
  // The others have the relay's own port, where media costs less.
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

it('a session that comes from 200 addresses leaves room for others', LONG, async (context) => {
  const port = await freeUdpPort(2);
  const relay = createSocket('udp4');
  relay.bind(port + 1, '127.0.0.1');
  await once(relay, 'listening');
  const bridge = new TurnBridge({
    port, relayPort: port + 1, bindAddress: '127.0.0.1', clock: systemClock, nowMs: () => performance.now(),
  });
  await bridge.open();
  context.onTestFinished(() => {
    bridge.close();
    relay.close();
  });
  const arrived = new Set<string>();
  relay.on('message', (bytes: Buffer) => arrived.add(bytes.includes('quiet:peer') ? 'quiet' : 'greedy'));
  for (const user of ['greedy', 'quiet']) {
    bridge.offer({ attributes: [`a=ice-ufrag:${user}`, `a=ice-pwd:${PASSWORD}`], candidates: [] });
  }
  const comes = async (user: string): Promise<void> => {
    const socket = createSocket('udp4');
    const request = { user: `${user}:peer`, password: PASSWORD, tiebreaker: ZERO, id: randomBytes(12) };
    await new Promise((sent) => socket.send(writeBindingRequest(request), port, '127.0.0.1', sent));
    socket.close();
  };
  for (let at = 0; at < 200; at += 1) await comes('greedy');
  await expect.poll(() => arrived.has('greedy')).toBe(true);
  await comes('quiet');
  await expect.poll(() => arrived.has('quiet')).toBe(true);
});
