/**
 * The age of the video a viewer sees: a clock burned into what a performer publishes over WHIP, read from
 * what a viewer's browser shows over WHEP (in the room, with its player) and over HLS (with hls.js). Compared
 * with the same clock between two bare peers in one page, without a server.
 *
 *   npx tsx bench/media/glass-to-glass.ts [--seconds 30] [--smoke]
 */
import { goLive, openStage, type Stage } from '#e2e/stage.ts';
import { build } from 'esbuild';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import type { Instruments, Seen } from '../glass/page.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string' }, smoke: { type: 'boolean', default: false } },
});
const seconds = Number(values.seconds ?? (values.smoke ? 3 : 30));
/** Lets jitter buffers and bandwidth estimates settle. */
const SETTLE_MS = values.smoke ? 1_000 : 10_000;
/** HLS begins with the first whole segments of an output that may have to be started. */
const FIRST_PICTURE_MS = 45_000;
const POLL_MS = 100;
const PERFORMER = 'demo_performer';
const BLANK = '/glass-to-glass';

interface Instrumented {
  readonly instruments: Instruments;
}

/** The instruments as one script for a page. */
async function bundleInstruments(): Promise<string> {
  const entry = fileURLToPath(new URL('../glass/page.ts', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    write: false,
    target: 'es2022',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

const take = (page: Page): Promise<Seen> =>
  page.evaluate(() => (globalThis as unknown as Instrumented).instruments.take());

/** Waits for the first frame with a clock and until all has settled, then measures. */
async function measure(page: Page): Promise<Seen> {
  const deadline = performance.now() + FIRST_PICTURE_MS;
  for (;;) {
    const { agesMs, trouble } = await take(page);
    if (trouble !== null || performance.now() > deadline) {
      return { agesMs: [], unreadable: 0, trouble: trouble ?? 'no picture' };
    }
    if (agesMs.length > 0) break;
    await page.waitForTimeout(POLL_MS);
  }
  await page.waitForTimeout(SETTLE_MS);
  await take(page);
  await page.waitForTimeout(seconds * 1_000);
  return take(page);
}

/** A page of the site's origin with nothing on it. */
async function blankPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const nothing = { contentType: 'text/html', body: '<body></body>' };
  await page.route(`**${BLANK}`, (route) => route.fulfill(nothing));
  await page.goto(BLANK);
  return page;
}

async function measureBare(context: BrowserContext): Promise<Seen> {
  const page = await blankPage(context);
  await page.evaluate(() => (globalThis as unknown as Instrumented).instruments.watchBare());
  const seen = await measure(page);
  await page.close();
  return seen;
}

async function measureWhep(context: BrowserContext): Promise<Seen> {
  const page = await context.newPage();
  await page.goto(`/${PERFORMER}`);
  await page.getByLabel('Demo Performer’s live video').evaluate((video) =>
    (globalThis as unknown as Instrumented).instruments.watch(video as HTMLVideoElement)
  );
  const seen = await measure(page);
  await page.close();
  return seen;
}

/** Null when the site has no HLS of the stream. */
async function measureHls(context: BrowserContext): Promise<Seen | null> {
  const page = await blankPage(context);
  const url = await page.evaluate(async (username) => {
    const answer = await fetch(`/api/v1/video/playback/${username}?kind=hls`);
    if (!answer.ok) return null;
    const { kind, url, token } = await answer.json() as { kind: string; url: string; token: string };
    if (kind !== 'hls') return null;
    const whole = new URL(url, location.href);
    if (!whole.searchParams.has('token')) whole.searchParams.set('token', token);
    return (await fetch(whole)).status === 404 ? null : whole.href;
  }, PERFORMER);
  if (url === null) return null;
  await page.evaluate((source) => (globalThis as unknown as Instrumented).instruments.watchHls(source), url);
  const seen = await measure(page);
  await page.close();
  return seen;
}

const cells = (...texts: readonly string[]): string => {
  const [name = '', ...rest] = texts;
  return `| ${name.padEnd(36)} | ${rest.map((text) => text.padStart(10)).join(' | ')} |`;
};

function row(name: string, seen: Seen | null, aim: string): string {
  const sorted = (seen?.agesMs ?? []).toSorted((a, b) => a - b);
  if (!seen || sorted.length === 0) {
    return cells(name, seen?.trouble ?? 'not available', '', '', '', '', aim);
  }
  const at = (part: number): string =>
    `${sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]?.toFixed(0) ?? ''} ms`;
  const counts = [String(sorted.length), String(seen.unreadable)];
  return cells(name, at(0.5), at(0.95), at(1), ...counts, aim);
}

async function run(stage: Stage): Promise<void> {
  const instruments = await bundleInstruments();
  const performer = await stage.visit({ as: PERFORMER });
  const viewer = await stage.visit();
  await viewer.page.close();
  await viewer.context.addInitScript({ content: instruments });
  await performer.context.addInitScript({ content: `${instruments};instruments.replaceCamera();` });
  console.log(
    `${seconds} s each of 640x360 at 30 frames a second; `
      + `load of the machine before: ${(loadavg()[0] ?? 0).toFixed(2)}\n`,
  );
  console.log(cells('age of the picture', 'p50', 'p95', 'most', 'pictures', 'unreadable', 'aim, p95'));
  console.log(`|${'-'.repeat(38)}|${`${'-'.repeat(12)}|`.repeat(6)}`);
  console.log(row('two peers in one page (baseline)', await measureBare(viewer.context), ''));
  await goLive(performer.page);
  console.log(row('WHIP to WHEP, in the room', await measureWhep(viewer.context), '250 ms'));
  console.log(row('WHIP to HLS, hls.js', await measureHls(viewer.context), '6000 ms'));
}

const stage = await openStage();
try {
  await run(stage);
} finally {
  await stage.close();
}
