import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { freeUdpPort } from '../conformance/network/free-port.ts';
import { World } from '../conformance/world.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../embedded/embedded-engine.ts';
import { runLoops, type Loop } from './loop-publisher.ts';

const KEY = 'key-of-the-loop';
const loops = fileURLToPath(new URL('../../../product/testkit/loops/', import.meta.url));
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A server of WHIP alone (RFC 9725): POST with the bearer key, DELETE on the session. */
async function serveWhip(engine: EmbeddedEngine): Promise<string> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      if (request.headers.authorization !== `Bearer ${KEY}`) return response.writeHead(401).end();
      const name = request.url!.split('/').at(-1)!;
      if (request.method === 'DELETE') return response.writeHead(await engine.end(name) ? 200 : 404).end();
      const { session, answer } = await engine.publish(name, await text(request), { owner: 'demo' });
      response.writeHead(201, { location: `/whip/session/${session}` }).end(answer);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/whip`;
}

async function start(): Promise<{ world: World; engine: EmbeddedEngine; whip: string }> {
  const engine = createEmbeddedEngine({ udpPort: await freeUdpPort(), bindAddress: '127.0.0.1' });
  await engine.start();
  open.push(engine.close);
  const world = new World(engine);
  open.push(() => world.close());
  return { engine, world, whip: await serveWhip(engine) };
}

const loopTo = (whipUrl: string, key = KEY): Loop => ({
  whipUrl,
  key,
  video: `${loops}candle.h264`,
  audio: `${loops}candle.opus`,
  bindAddress: '127.0.0.1',
});

it('publishes every loop through WHIP, with its pictures and its sound, and ends its sessions', async () => {
  const { world: { reports }, world, whip } = await start();
  const running = runLoops([loopTo(`${whip}/one`), loopTo(`${whip}/two`)]);
  open.push(running.close);
  for (const stream of ['one', 'two']) {
    const { health } = await reports.next(
      'health',
      ({ health: seen }) =>
        seen.stream === stream && seen.framesPerSecond >= 12 && seen.audioBitsPerSecond > 0,
    );
    expect(health).toMatchObject({ codec: 'H264', lossFraction: 0 });
    expect(health.videoBitsPerSecond).toBeLessThan(600_000);
  }
  const reader = await world.play(world.peers(), 'one');
  const view = await reader.seen.until('plays', (seen) => seen.videoPackets > 20 && seen.audioPackets > 10);
  expect(view).toMatchObject({ beganWithKeyframe: true, timeWentBack: 0 });
  await running.close();
  for (const stream of ['one', 'two']) {
    const down = await reports.next('down', (report) => report.stream === stream);
    expect(down.reason).toBe('ended');
  }
});

it('comes back when its session is cut, and keeps off the stream with a wrong key', async () => {
  const { engine, world: { reports }, whip } = await start();
  const running = runLoops([loopTo(`${whip}/cut`), loopTo(`${whip}/wrong`, 'another key')]);
  open.push(running.close);
  const { session } = await reports.next('up');
  await engine.stop('cut');
  const again = await reports.next('up', (report) => report.session !== session);
  expect(again.stream).toBe('cut');
  expect(reports.all.some((report) => report.kind === 'up' && report.stream === 'wrong')).toBe(false);
});
