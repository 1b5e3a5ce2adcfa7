import { freePort } from '#platform/data/redis/testing.ts';
import { requireTurnServer } from '#tools/machine/coturn.mjs';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive, openBrowser } from './stage.ts';

const ROOM = '/demo_performer';
const SECRET = 'the-secret-of-a-relay-that-only-tests-see';
/** Time to start a site, a browser and a relay, and to make two connections through it. */
const SLOW_MS = 180_000;

/** A TURN server that cannot be reached over UDP, on loopback alone. */
class TurnServer {
  readonly port: number;
  readonly tlsPort: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(parts: { port: number; tlsPort: number; child: ChildProcess; folder: string }) {
    this.port = parts.port;
    this.tlsPort = parts.tlsPort;
    this.#child = parts.child;
    this.#folder = parts.folder;
  }

  static async start(): Promise<TurnServer> {
    const { turnserver, openssl } = requireTurnServer();
    const folder = mkdtempSync(join(tmpdir(), 'candela-turn-'));
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    execFileSync(openssl, [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      key,
      '-out',
      cert,
    ], { stdio: 'ignore' });
    const [port, tlsPort] = [await freePort(), await freePort()];
    const child = spawn(turnserver, [
      '-n',
      '--use-auth-secret',
      `--static-auth-secret=${SECRET}`,
      '--realm=candela',
      '--listening-ip=127.0.0.1',
      '--relay-ip=127.0.0.1',
      '--allow-loopback-peers',
      '-p',
      String(port),
      '--tls-listening-port',
      String(tlsPort),
      '--cert',
      cert,
      '--pkey',
      key,
      '--no-udp',
      '--no-dtls',
      '--no-tcp-relay',
      '--no-cli',
      '--log-file=stdout',
      '--pidfile',
      join(folder, 'pid'),
      '--userdb',
      join(folder, 'users'),
    ], { stdio: 'ignore', cwd: folder });
    for (const one of [port, tlsPort]) await listens(one);
    return new TurnServer({ port, tlsPort, child, folder });
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });

async function listens(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await answers(port)) return;
    await sleep(100);
  }
  throw new Error(`no relay listens on ${port}`);
}

/** Runs in each page: forces its connections through a relay, and records their paths. */
function relayAlone(): void {
  const made: RTCPeerConnection[] = [];
  const Peer = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Peer {
    constructor(settings?: RTCConfiguration) {
      super({ ...settings, iceTransportPolicy: 'relay' });
      made.push(this);
    }
  };
  Object.assign(globalThis, { madePeers: made });
}

interface Path {
  /** How the browser reaches the relay; undefined for a path without one. */
  readonly over: string | undefined;
  readonly framesDecoded: number;
  readonly framesSent: number;
}

/** The path of a page's newest connection, and what was sent over it. */
const pathOf = (page: Page): Promise<Path> =>
  page.evaluate(async () => {
    const peer = (globalThis as unknown as { madePeers: RTCPeerConnection[] }).madePeers.at(-1);
    const stats = [...(await peer?.getStats() ?? new Map()).values()] as Record<string, unknown>[];
    const chosen = stats.find(({ type, state, nominated }) =>
      type === 'candidate-pair' && state === 'succeeded' && nominated
    );
    const local = stats.find(({ id }) => id === chosen?.['localCandidateId']);
    const sum = (type: string, name: string): number =>
      stats.filter((stat) => stat['type'] === type)
        .reduce((total, stat) => total + Number(stat[name] ?? 0), 0);
    return {
      over: local?.['relayProtocol'] as string | undefined,
      framesDecoded: sum('inbound-rtp', 'framesDecoded'),
      framesSent: sum('outbound-rtp', 'framesSent'),
    };
  });

let turn: TurnServer | null = null;
let browser: Browser | null = null;
let site: DemoSite | null = null;
beforeAll(async () => {
  turn = await TurnServer.start();
  // The relay's certificate is self-signed.
  browser = await openBrowser(['--ignore-certificate-errors']);
}, SLOW_MS);
afterAll(async () => {
  await site?.close();
  await browser?.close();
  await turn?.stop();
}, SLOW_MS);

it.each(['tcp', 'tls'] as const)('one publishes and watches through a relay over %s alone', async (over) => {
  if (!turn || !browser) throw new Error('nothing was started');
  const address = over === 'tcp'
    ? `turn:127.0.0.1:${turn.port}?transport=tcp`
    : `turns:localhost:${turn.tlsPort}`;
  await site?.close();
  site = await openDemoSite({ TURN_URLS: address, TURN_SECRET: SECRET });
  const performer = await site.visit({ as: 'demo_performer', browser });
  await performer.context.addInitScript(relayAlone);
  await goLive(performer.page);
  await expect.poll(async () => (await pathOf(performer.page)).framesSent, { timeout: 60_000 })
    .toBeGreaterThan(20);
  expect(await pathOf(performer.page)).toMatchObject({ over });
  const viewer = await site.visit({ browser });
  await viewer.context.addInitScript(relayAlone);
  await viewer.page.goto(ROOM);
  await viewer.page.locator('[data-phase=playing][data-via=webrtc]').waitFor({ timeout: 60_000 });
  await expectMoving(viewer.page);
  await expect.poll(async () => (await pathOf(viewer.page)).framesDecoded, { timeout: 60_000 })
    .toBeGreaterThan(20);
  expect(await pathOf(viewer.page)).toMatchObject({ over });
  await viewer.context.close();
  await performer.context.close();
}, SLOW_MS);
