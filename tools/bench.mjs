/**
 * `npm run bench`: runs every `bench/*.ts`, one after the other, each in a process of its own.
 *
 *   npm run bench                 all of them
 *   npm run bench relay ssr       these
 *   npm run bench -- --smoke      each shortly: whether it runs, not how fast
 *   npm run bench -- --no-build   with what was built last
 */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';

const root = new URL('..', import.meta.url).pathname;
/** A bench that hangs is stopped: a full one measures for minutes, a smoke run for seconds. */
const LIMIT_MS = { full: 20 * 60_000, smoke: 3 * 60_000 };

const args = process.argv.slice(2);
const smoke = args.includes('--smoke');
const wanted = args.filter((arg) => !arg.startsWith('--'));
/** Name of each bench and its file, below `bench/`. */
const benches = new Map(
  ['', 'media/', 'tips/', 'frames/', 'notices/', 'shows/'].flatMap((folder) =>
    readdirSync(new URL(`../bench/${folder}`, import.meta.url)).filter((file) => file.endsWith('.ts'))
      .map((file) => [file.slice(0, -3), `${folder}${file}`])
  ),
);
const names = [...benches.keys()].sort();
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are ${names.join(', ')}`);
  process.exit(1);
}

/**
 * @param {string} name
 * @returns {Promise<boolean>}
 */
const run = (name) =>
  new Promise((resolve) => {
    console.log(`\n## ${name}${smoke ? ' (smoke)' : ''}\n`);
    const child = spawn(process.execPath, [
      '--import',
      'tsx',
      `bench/${benches.get(name)}`,
      ...(smoke ? ['--smoke'] : []),
    ], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: smoke ? LIMIT_MS.smoke : LIMIT_MS.full,
    });
    child.once('exit', (code, signal) => {
      if (code !== 0) console.error(`${name} ended with ${signal ?? code}`);
      resolve(code === 0);
    });
  });

if (!args.includes('--no-build')) {
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
const failed = [];
for (const name of wanted.length > 0 ? wanted : names) if (!(await run(name))) failed.push(name);
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
