/**
 * Tries real clients against a running Candela on this machine, by hand: see README.md. Writes a table.
 *
 *     PYTHON=venv/bin/python npm run clients -- http://localhost:3000 docs/proofs/clients.md
 */
import { getOwnBroadcast, getPlayback, rotateStreamKey } from '#product/broadcast/contract.ts';
import { streamUrl } from '#product/broadcast/rules.ts';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BrowserContext } from 'playwright-core';
import { callsOf, expectMoving, openBrowser, Stage } from '../stage.ts';
import { playWithFirefox } from './firefox-player.ts';
import { end, SENDERS, type Place, type Sender } from './senders.ts';

const PERFORMER = 'demo_performer';
const [origin = 'http://localhost:3000', output] = process.argv.slice(2);
const { PYTHON = 'python3', TURN_SECRET, TURN_PORT = '3478' } = process.env;

interface Row {
  readonly client: string;
  readonly does: string;
  readonly seen: string;
  readonly advice: string;
}

const rows: Row[] = [];
function note(row: Row): void {
  rows.push(row);
  process.stdout.write(`${row.client} | ${row.does} | ${row.seen} | ${row.advice}\n`);
}

/** The version that a program prints; null when it is not installed. */
function versionOf([command, ...args]: readonly string[]): string | null {
  try {
    const text = execFileSync(command!, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return (/\d+\.\d+\.\d+/u.exec(text) ?? /\d+\.\d+/u.exec(text))?.[0] ?? '';
  } catch {
    return null;
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms / 1_000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a viewer in Chromium gets of the room, and after how long. */
async function watch(stage: Stage, isSoundAlone: boolean, prepare?: string): Promise<string> {
  const { page, context } = await stage.visit({ path: '/?' });
  try {
    if (prepare) await page.addInitScript(prepare);
    const began = performance.now();
    await page.goto(`/${PERFORMER}`);
    const shown = isSoundAlone ? page.getByText(/^Sound only/u).waitFor() : expectMoving(page);
    await inTime(shown, 45_000);
    const via = await page.locator('[data-via]').first().getAttribute('data-via');
    const how = via === 'hls' ? 'HLS' : 'WHEP';
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    return `${isSoundAlone ? 'played, and said to be sound only' : 'seen'}, ${how}, after ${seconds} s`;
  } catch (error) {
    return `no: ${messageOf(error)}`;
  } finally {
    await context.close();
  }
}

async function place(performer: BrowserContext): Promise<Place> {
  const { call, csrf } = await callsOf(performer, origin);
  const { stream_key: key, whip_url: whip } = await call(rotateStreamKey, {}, csrf);
  const { rtmpUrl } = await call(getOwnBroadcast, {});
  if (!rtmpUrl) throw new Error('RTMP is off');
  const movie = join(mkdtempSync(join(tmpdir(), 'candela-movie-')), 'movie.mp4');
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=640x360:rate=30',
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440',
    '-t',
    '20',
    '-pix_fmt',
    'yuv420p',
    movie,
  ]);
  return { key, whip, rtmp: rtmpUrl, movie };
}

/** Resolves when the broadcast is in this state. */
async function untilState(performer: BrowserContext, wanted: string, ms: number): Promise<readonly string[]> {
  const { call } = await callsOf(performer, origin);
  const began = performance.now();
  for (;;) {
    const { state, health } = await call(getOwnBroadcast, {});
    if (state === wanted && (health !== null || wanted === 'offline')) return health?.advice ?? [];
    if (performance.now() - began > ms) throw new Error(`the broadcast is ${state}`);
    await sleep(500);
  }
}

async function trySender(
  stage: Stage,
  performer: BrowserContext,
  sender: Sender,
  where: Place,
): Promise<void> {
  const version = versionOf(sender.version);
  const client = `${sender.client} ${version ?? ''}`.trim();
  if (version === null) return note({ client, does: sender.sends, seen: 'not installed', advice: '' });
  const started = sender.start(where);
  let [seen, advice] = ['', ''];
  try {
    await untilState(performer, 'online', 40_000);
    seen = await watch(stage, sender.isSoundAlone ?? false);
    // The first second of a stream may be measured before its first frame.
    await sleep(5_000);
    advice = (await untilState(performer, 'online', 10_000)).join(', ') || 'none';
  } catch (error) {
    seen ||= `no: ${messageOf(error)}`;
  }
  await end(started);
  note({ client, does: sender.sends, seen, advice });
}

/** Plays the current broadcast with aiortc over WHEP. */
async function playWithAiortc(performer: BrowserContext): Promise<string> {
  const { call } = await callsOf(performer, origin);
  const { edge_servers, stream_name, token } = await call(getPlayback, {
    username: PERFORMER,
    kind: 'webrtc',
  });
  const url = streamUrl({
    edge_servers,
    stream_name,
    token,
    type: 'webrtc',
    track: 'hd',
    multitrack: false,
  });
  const cookie = (await performer.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const script = new URL('aiortc-play.py', import.meta.url).pathname;
  try {
    const { stdout } = await promisify(execFile)(PYTHON, [script, url ?? '', cookie], { timeout: 60_000 });
    return `60 pictures and 2 s of sound decoded after ${stdout.trim()} s`;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    return `no: ${stderr.trim().split('\n').at(-1) ?? messageOf(error)}`;
  }
}

const RELAY_ALONE = `const Peer = RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Peer {
    constructor(settings) { super({ ...settings, iceTransportPolicy: 'relay' }); }
  };`;

/** A viewer who can connect through the relay only. */
async function watchThroughTurn(stage: Stage): Promise<string> {
  if (!TURN_SECRET) return 'not tried: TURN_SECRET is not set';
  const relay = spawn(process.env['TURNSERVER'] ?? 'turnserver', [
    '-n',
    '--use-auth-secret',
    `--static-auth-secret=${TURN_SECRET}`,
    '--realm=candela',
    '-p',
    TURN_PORT,
    '--listening-ip=127.0.0.1',
    '--relay-ip=127.0.0.1',
    '--allow-loopback-peers',
    '--no-tls',
    '--no-dtls',
    '--no-cli',
    '--log-file=stdout',
  ], { stdio: 'ignore' });
  try {
    return await watch(stage, false, RELAY_ALONE);
  } finally {
    await end([relay]);
  }
}

/** The senders that players are tried with. */
const PLAYED = [
  'RTMP, x264 baseline, keyframe a second',
  'WHIP, VP8',
  'RTMP, x264 defaults (B-frames)',
] as const;

async function tryPlayers(stage: Stage, performer: BrowserContext, where: Place): Promise<void> {
  const firefox = versionOf(['firefox-esr', '--version']);
  for (const name of PLAYED) {
    const sender = SENDERS.find(({ sends }) => sends === name);
    if (!sender || versionOf(sender.version) === null) continue;
    const started = sender.start(where);
    try {
      await untilState(performer, 'online', 40_000);
      const of = `plays: ${sender.client}, ${name}`;
      note({ client: 'aiortc player', does: of, seen: await playWithAiortc(performer), advice: '' });
      const seen = firefox === null
        ? 'not installed'
        : await playWithFirefox(origin, PERFORMER).catch(messageOf);
      note({ client: `Firefox ${firefox ?? ''}`.trim(), does: of, seen, advice: '' });
      if (name.includes('baseline')) {
        const relayed = await watchThroughTurn(stage);
        note({ client: 'Chromium through coturn', does: of, seen: relayed, advice: '' });
      }
    } catch (error) {
      note({ client: 'players', does: name, seen: `no: ${messageOf(error)}`, advice: '' });
    }
    await end(started);
  }
}

function tableOf(day: string): string {
  const cell = (text: string): string => text.replaceAll('|', '/');
  return [
    '# Real clients',
    '',
    `Written by \`e2e/clients/clients.ts\` on ${day}: clients as apt and PyPI give them against`,
    'a demo on loopback. A sender is seen when the picture moves for a viewer in Chromium; the',
    'last column is what the performer reads meanwhile.',
    '',
    '| Client | Sends or plays | Result | Advice |',
    '|---|---|---|---|',
    ...rows.map(({ client, does, seen, advice }) =>
      `| ${[client, does, seen, advice].map(cell).join(' | ')} |`
    ),
    '',
  ].join('\n');
}

const stage = new Stage({ origin, rtmpPort: 0, browser: await openBrowser(), end: () => Promise.resolve() });
const { context: performer } = await stage.visit({ as: PERFORMER });
// One key for all senders: making keys is rate-limited.
const where = await place(performer);
const only = process.env['ONLY'];
for (const sender of SENDERS) {
  if (only && !`${sender.client} ${sender.sends}`.includes(only)) continue;
  await trySender(stage, performer, sender, where);
}
if (!only || only === 'players') await tryPlayers(stage, performer, where);
const table = tableOf(new Date().toISOString().slice(0, 10));
if (output) writeFileSync(output, table);
else process.stdout.write(table);
await stage.close();
