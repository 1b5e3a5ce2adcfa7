/**
 * Time to the first frame in Chromium, from the player's start (its peer connection is made) and from the
 * navigation, in the demo's rooms; compared with two bare peers in one page, without server or network.
 */
import { openStage } from '#e2e/stage.ts';
import type { BrowserContext, Page } from 'playwright-core';

const smoke = process.argv.includes('--smoke');
const JOINS = smoke ? 3 : 40;
const ROOMS = ['luna_vale', 'mara_lind', 'ivy_marsh', 'theo_and_june', 'tess_arden', 'jade_orlo'];
/** Pause between joins, in which the browser closes the last connections. */
const PAUSE_MS = 250;
const FIRST_PICTURE_MS = 15_000;

interface Marks {
  start?: number;
  picture?: number;
}

/** Runs in the page before its own scripts: notes when a peer connection is made, and the first picture. */
function note(): void {
  const marks: Marks = {};
  Object.assign(globalThis, { marks });
  const Peer = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Peer {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      marks.start ??= performance.now();
    }
  };
  document.addEventListener('loadeddata', () => {
    marks.picture ??= performance.now();
  }, true);
}

const marksOf = (page: Page): Promise<Marks> =>
  page.evaluate(() => (globalThis as unknown as { marks: Marks }).marks);

async function join(context: BrowserContext, room: string): Promise<{ player: number; page: number }> {
  const page = await context.newPage();
  try {
    await page.goto(`/${room}`, { waitUntil: 'commit' });
    await page.waitForFunction(
      () => (globalThis as unknown as { marks?: Marks }).marks?.picture !== undefined,
      null,
      {
        timeout: FIRST_PICTURE_MS,
        polling: 50,
      },
    );
    const { start = 0, picture = 0 } = await marksOf(page);
    return { player: picture - start, page: picture };
  } finally {
    await page.close();
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

/** Two peers in one page, one sending a canvas: what Chromium itself needs from offer to picture. */
const bare = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    canvas.width = 640;
    canvas.height = 360;
    const drawing = canvas.getContext('2d');
    const timer = setInterval(() => {
      if (!drawing) return;
      drawing.fillStyle = `hsl(${performance.now() % 360} 60% 40%)`;
      drawing.fillRect(0, 0, 640, 360);
    }, 33);
    const video = document.createElement('video');
    video.muted = true;
    video.autoplay = true;
    const started = performance.now();
    const from = new RTCPeerConnection();
    const to = new RTCPeerConnection();
    from.onicecandidate = ({ candidate }) => void (candidate && to.addIceCandidate(candidate));
    to.onicecandidate = ({ candidate }) => void (candidate && from.addIceCandidate(candidate));
    const shown = new Promise<void>((done) => {
      video.addEventListener('loadeddata', () => done(), { once: true });
    });
    to.ontrack = ({ streams, track }) => {
      video.srcObject = streams[0] ?? new MediaStream([track]);
    };
    for (const track of canvas.captureStream(30).getTracks()) from.addTrack(track);
    await from.setLocalDescription(await from.createOffer());
    await to.setRemoteDescription(from.localDescription as RTCSessionDescription);
    await to.setLocalDescription(await to.createAnswer());
    await from.setRemoteDescription(to.localDescription as RTCSessionDescription);
    await shown;
    const took = performance.now() - started;
    clearInterval(timer);
    from.close();
    to.close();
    return took;
  });

function row(name: string, times: readonly number[], baseline: number): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const cells = [at(0.5), at(0.95)].map((ms) => `${ms.toFixed(0)} ms`.padStart(9));
  return `| ${name.padEnd(38)} | ${cells.join(' | ')} | ${(at(0.5) / baseline).toFixed(2).padStart(8)} |`;
}

const stage = await openStage();
try {
  const { page, context } = await stage.visit();
  const blank = await context.newPage();
  await blank.goto('/healthz');
  await context.addInitScript(note);
  const alone: number[] = [];
  const joins: { player: number; page: number }[] = [];
  await page.waitForTimeout(smoke ? 2_000 : 10_000);
  for (let at = 0; at < JOINS; at += 1) {
    alone.push(await bare(blank));
    joins.push(await join(context, ROOMS[at % ROOMS.length] ?? 'luna_vale'));
  }
  const half = alone.toSorted((a, b) => a - b)[Math.floor(alone.length / 2)] ?? 1;
  console.log(`${JOINS} joins over the rooms of the demo\n`);
  const [p50, p95] = ['p50'.padStart(9), 'p95'.padStart(9)];
  console.log(`| ${'first picture after'.padEnd(38)} | ${p50} | ${p95} | baseline |`);
  console.log(`|${'-'.repeat(40)}|${'-'.repeat(11)}|${'-'.repeat(11)}|${'-'.repeat(10)}|`);
  console.log(row('two peers in one page (baseline)', alone, half));
  console.log(row('the player starts', joins.map((item) => item.player), half));
  console.log(row('the navigation (page, call, join)', joins.map((item) => item.page), half));
} finally {
  await stage.close();
}
