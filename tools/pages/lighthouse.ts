/**
 * `npm run lighthouse`: starts the demo on ports of its own, measures four pages with Lighthouse's mobile
 * profile (a slow phone on slow 4G, simulated) in the system's Chromium, and writes
 * docs/proofs/lighthouse.md.
 * `npm run lighthouse home` measures one page and prints it.
 */
import { endProgram, seededDirectory, startProgram } from '#e2e/seeded.ts';
import { callsOf } from '#e2e/stage.ts';
import { freePort } from '#platform/data/redis/testing.ts';
import { declareAge } from '#product/compliance/contract.ts';
import lighthouse, { type Result } from 'lighthouse';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, requireChromium } from '../machine/chromium.mjs';

const REPORT = new URL('../../docs/proofs/lighthouse.md', import.meta.url);
const PAGES: Readonly<Record<string, string>> = {
  home: '/',
  listing: '/girls',
  room: '/luna_vale',
  search: '/search?q=piano',
};
/** What each category is meant to reach, in its order of the report. */
const AIMS = { performance: 90, accessibility: 100, 'best-practices': 95, seo: 100 } as const;
type Category = keyof typeof AIMS;
const CATEGORIES = Object.keys(AIMS) as Category[];
const NAMES: Readonly<Record<Category, string>> = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  'best-practices': 'Best practices',
  seo: 'SEO',
};
/** The moments that make up the score of performance, and what they are called. */
const MOMENTS: Readonly<Record<string, string>> = {
  'first-contentful-paint': 'First paint',
  'largest-contentful-paint': 'Largest paint',
  'total-blocking-time': 'Blocked',
  'cumulative-layout-shift': 'Layout shift',
  'speed-index': 'Speed index',
};
/** One measurement of performance says little on a machine that does something else as well. */
const RUNS = 3;
/** What most room thumbnails and streams of the demo need to be there. */
const SETTLE_MS = 15_000;

const hundredths = (score: number | null | undefined): number => Math.round((score ?? 0) * 100);
const scoreOf = (result: Result, category: Category): number =>
  hundredths(result.categories[category]?.score);

/** One page in a browser that was never on the site, past the entry gate. */
async function measure(origin: string, path: string): Promise<Result> {
  const profile = mkdtempSync(join(tmpdir(), 'candela-lighthouse-'));
  const port = await freePort();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: requireChromium(),
    args: [...CHROMIUM_FLAGS, `--remote-debugging-port=${port}`],
  });
  try {
    const { call, csrf } = await callsOf(context, origin);
    await call(declareAge, { of_age: true }, csrf);
    const run = await lighthouse(origin + path, {
      // Its own reset would take the answer at the gate away; the profile is new anyhow.
      port,
      disableStorageReset: true,
      onlyCategories: CATEGORIES,
      logLevel: 'error',
    });
    if (!run) throw new Error(`Lighthouse has no result for ${path}`);
    return run.lhr;
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** The run whose performance is in the middle. */
async function typical(origin: string, path: string): Promise<Result> {
  const runs: Result[] = [];
  for (let at = 0; at < RUNS; at += 1) runs.push(await measure(origin, path));
  runs.sort((a, b) => scoreOf(a, 'performance') - scoreOf(b, 'performance'));
  return runs[Math.floor(RUNS / 2)] as Result;
}

/** Audits that cost points, by category. */
function shortfalls(result: Result): readonly string[] {
  return CATEGORIES.filter((category) => category !== 'performance').flatMap((category) =>
    (result.categories[category]?.auditRefs ?? []).filter(({ weight }) => weight > 0)
      .map(({ id }) => result.audits[id]).filter((audit) =>
        audit !== undefined && audit.score !== null
        && audit.score < 1
      ).map((audit) => `${NAMES[category]}: ${audit?.title ?? ''} (\`${audit?.id}\`)`)
  );
}

function report(results: readonly (readonly [string, Result])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const version = results[0]?.[1].lighthouseVersion ?? '';
  const short = results.flatMap(([name, result]) => shortfalls(result).map((item) => `- ${name}: ${item}`));
  return `# What Lighthouse says of the pages

Lighthouse ${version} with its mobile profile (a processor slowed down four times, slow 4G, both simulated)
in the system's Chromium, in a new profile past the entry gate, with the demo on the same machine. Of ${RUNS}
runs of a page, the one whose performance is in the middle. Performance depends on what else the machine does.

${
    [
      line(['Page', ...CATEGORIES.map((category) => NAMES[category])]),
      line(['---', ...CATEGORIES.map(() => '---:')]),
      ...results.map(([name, result]) =>
        line([`${name} \`${PAGES[name]}\``, ...CATEGORIES.map((category) => scoreOf(result, category))])
      ),
      line(['aim', ...CATEGORIES.map((category) => `≥ ${AIMS[category]}`)]),
    ].join('\n')
  }

${
    [
      line(['Page', ...Object.values(MOMENTS), 'Bytes']),
      line(['---', ...Object.values(MOMENTS).map(() => '---:'), '---:']),
      ...results.map(([name, { audits }]) =>
        line([
          name,
          ...Object.keys(MOMENTS).map((id) => audits[id]?.displayValue ?? ''),
          audits['total-byte-weight']?.displayValue?.replace('Total size was ', '') ?? '',
        ])
      ),
    ].join('\n')
  }

${
    short.length === 0
      ? 'No audit of the other three categories fails.'
      : `Audits of the other three categories that fail:\n\n${short.join('\n')}`
  }

Last run on ${new Date().toISOString().slice(0, 10)}, by \`npm run lighthouse\`.
`.replaceAll(' ', ' ');
}

const wanted = process.argv.slice(2);
const names = Object.keys(PAGES).filter((name) => wanted.length === 0 || wanted.includes(name));
const ports = { port: await freePort(), rtmpPort: await freePort() };
const dataDir = await seededDirectory(ports);
const child = await startProgram({ ...ports, dataDir, flags: [], output: [] });
try {
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const results: (readonly [string, Result])[] = [];
  for (const name of names) {
    results.push([name, await typical(`http://localhost:${ports.port}`, PAGES[name] ?? '/')]);
  }
  const text = report(results);
  console.log(text);
  if (names.length === Object.keys(PAGES).length) writeFileSync(REPORT, text);
} finally {
  await endProgram(child);
  rmSync(dataDir, { recursive: true, force: true });
}
