/**
 * The cost of HLS for a watched room: publishers of 2 Mbit/s (30 frames a second, a keyframe every 2 s, Opus)
 * at one relay, first alone, then with HLS of each. The cost is the difference at the relay plus the
 * segmenting processes.
 *
 *   npx tsx bench/media/hls.ts [--rooms 4] [--seconds 30] [--smoke]
 */
import { freeUdpPort } from '#platform/streaming/conformance/network/free-port.ts';
import { createEmbeddedEngine } from '#platform/streaming/embedded/embedded-engine.ts';
import type { LoopMedia } from '#platform/streaming/loop-publisher/loop-media.ts';
import { createOutputs } from '#platform/streaming/outputs/media-outputs.ts';
import { LoopFeed } from '#platform/streaming/outputs/trial/loop-feed.ts';
import { readFrames } from '#platform/streaming/wire/codecs/h264.ts';
import { readOpus } from '#platform/streaming/wire/files/ogg-opus.ts';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rooms: { type: 'string' },
    seconds: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const rooms = Number(values.rooms ?? (values.smoke ? 2 : 4));
const seconds = Number(values.seconds ?? (values.smoke ? 4 : 30));

const LOOPS = fileURLToPath(new URL('../../product/testkit/loops/', import.meta.url));
const BITS_PER_SECOND = 2_000_000;
const FRAMES_PER_SECOND = 30;
const GROUP = 2 * FRAMES_PER_SECOND;
/** A keyframe is this many times the size of another frame. */
const KEYFRAME_SIZE = 6;
const SETTLE_MS = 3_000;
/** The kernel counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Undecodable frames at a camera's rate: segmenting reads only their headers. */
function camera(): LoopMedia {
  const [keyframe] = readFrames(readFileSync(`${LOOPS}candle.h264`));
  const share = (BITS_PER_SECOND / 8) * (GROUP / FRAMES_PER_SECOND) / (GROUP - 1 + KEYFRAME_SIZE);
  const slices = Array.from({ length: GROUP }, (_, i) =>
    Buffer.concat([
      Buffer.from([0, 0, 0, 1, i === 0 ? 0x65 : 0x41, 0x88]),
      // No byte below 4: nothing in it looks like a start code.
      randomBytes(Math.round(share * (i === 0 ? KEYFRAME_SIZE : 1))).map((byte) => byte | 4),
    ]));
  const [first, ...rest] = readFrames(Buffer.concat(slices));
  const frames = [{ ...first!, payloads: [keyframe!.payloads[0]!, ...first!.payloads] }, ...rest];
  return { frames, sound: readOpus(readFileSync(`${LOOPS}candle.opus`)) };
}

/** Processor seconds a process has used. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const rssMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;

/** Shares of a core these processes take, over the seconds of the bench. */
async function measure(pids: readonly number[], meanwhile: () => Promise<unknown>): Promise<number[]> {
  const before = pids.map(cpuSeconds);
  const fromMs = performance.now();
  while (performance.now() - fromMs < seconds * 1_000) {
    await meanwhile();
    await sleep(1_000);
  }
  const passed = (performance.now() - fromMs) / 1_000;
  return pids.map((pid, i) => (cpuSeconds(pid) - before[i]!) / passed);
}

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
const sum = (shares: readonly number[]): number => shares.reduce((total, share) => total + share, 0);

const folder = mkdtempSync(join(tmpdir(), 'candela-bench-'));
const engine = createEmbeddedEngine({ udpPort: await freeUdpPort(), bindAddress: '127.0.0.1' });
await engine.start();
const outputs = await createOutputs({ local: engine.local, directory: folder });
try {
  const names = Array.from({ length: rooms }, (_, i) => `room-${i}`);
  const loop = camera();
  for (const name of names) {
    await LoopFeed.at(engine.local, name, { loop, framesPerSecond: FRAMES_PER_SECOND });
  }
  const [relay] = engine.relayPids();
  await sleep(SETTLE_MS);
  const [alone] = await measure([relay!], async () => undefined);
  await Promise.all(names.map((name) => outputs.openHls(name)));
  await sleep(SETTLE_MS);
  const children = [...outputs.pids().hls.values()];
  const poll = (): Promise<unknown> => Promise.all(names.map((name) => outputs.openHls(name)));
  const [together, ...segmenting] = await measure([relay!, ...children], poll);
  const perRoom = (together! - alone! + sum(segmenting)) / rooms;
  const resident = sum(children.map(rssMegabytes)) / children.length;
  const { bitsPerSecond } = await outputs.openHls(names[0]!);
  console.log(
    `${rooms} rooms for ${seconds} s, segments of ${(bitsPerSecond / 1e6).toFixed(1)} Mbit/s, `
      + `on ${process.platform} ${process.arch}, Node ${process.version}`,
  );
  console.log('|             | relay, of a core | segmenting, of a core | per room | memory per room |');
  console.log('|---|---|---|---|---|');
  console.log(
    `| relay alone | ${percent(alone!).padStart(16)} | ${''.padStart(21)} | ${''.padStart(8)} `
      + `| ${''.padStart(15)} |`,
  );
  console.log(
    `| HLS of each | ${percent(together!).padStart(16)} | ${percent(sum(segmenting)).padStart(21)} `
      + `| ${percent(perRoom).padStart(8)} | ${`${resident.toFixed(0)} MB`.padStart(15)} |`,
  );
} finally {
  await outputs.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
