/**
 * Memory of the built site at rest, as `npm start` runs it: an empty site and the demo with its live streams,
 * each in a data directory of its own, at its first start and at a later one. Every process, and what its
 * memory is; in all, as a ratio to a bare Fastify process of this Node.
 */
import { freePort } from '#platform/data/redis/testing.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { add, memoryOf, NOTHING, processesOf, type Memory } from './footprint/memory.ts';
import { heapsOf, startBare, startSite, type Running } from './footprint/programs.ts';

const smoke = process.argv.includes('--smoke');
/** V8 gives memory back some seconds after the last work. */
const REST_MS = smoke ? 1_000 : 30_000;
const DEMO_STREAMS = 24;

type Row = readonly [name: string, memory: Memory];

async function atRest(running: Running): Promise<readonly Row[]> {
  await wait(REST_MS);
  return processesOf(running.pid).map(({ pid, name }): Row => [name, memoryOf(pid)]);
}

const total = (rows: readonly Row[]): Memory => rows.reduce((sum, [, memory]) => add(sum, memory), NOTHING);

const alone = await startBare();
const [, bare = NOTHING] = (await atRest(alone))[0] ?? [];
await alone.stop();

function print(title: string, seconds: number | null, rows: readonly Row[]): void {
  console.log(`\n### ${title}${seconds === null ? '' : `, live after ${seconds.toFixed(1)} s`}\n`);
  const [, ...columns] = ['process', 'RSS', 'PSS', 'own', 'malloc', 'V8 and WebAssembly', 'files'];
  console.log(`| process | ${columns.join(' | ')} | of the bare process |`);
  console.log(`|---|${'---:|'.repeat(columns.length + 1)}`);
  for (const [name, memory] of [...rows, ['in all', total(rows)] as const]) {
    const { rss, pss, own, malloc, engine, files } = memory;
    const cells = [rss, pss, own, malloc, engine, files].map((mb) => mb.toFixed(0));
    console.log(`| ${name} | ${cells.join(' | ')} | ${(own / bare.own).toFixed(1)} |`);
  }
}

console.log(
  'MB at rest. PSS shares a file among the processes that map it, other programs included; own is '
    + 'memory of no file, and does not depend on them.',
);
print('Bare Fastify', null, [['bare', bare]]);
for (const [title, flags, streams] of [
  ['Empty site', ['--no-demo'], 0],
  [`Demo, ${DEMO_STREAMS} streams`, [], DEMO_STREAMS],
] as const) {
  const directory = mkdtempSync(join(tmpdir(), 'candela-footprint-'));
  try {
    for (const start of smoke ? ['first start'] : ['first start', 'later start']) {
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const began = performance.now();
      const running = await startSite({ directory, flags, streams, ports });
      try {
        const seconds = (performance.now() - began) / 1_000;
        print(`${title}, ${start}`, seconds, await atRest(running));
        const site = processesOf(running.pid).find(({ name }) => name === 'site');
        if (!site) throw new Error('the supervisor has no site');
        console.log(`\nJavaScript of the site: ${(await heapsOf(site.pid, directory)).join(', ')} MB in use`);
      } finally {
        await running.stop();
      }
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
