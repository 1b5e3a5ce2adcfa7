/**
 * `npm run test:changed [branch]`: the unit and page tests that a change since `branch` can reach, by default
 * since `main`. A slice's change reaches its own tests and those of the slices that import it. A change of
 * `platform`, of the testkit or of a configuration can reach every test, and runs them all.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [since = 'main', ...rest] = process.argv.slice(2);
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n').filter((line) => line !== '');
const changed = [
  ...new Set([
    ...git('diff', '--name-only', ...git('merge-base', since, 'HEAD')),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]),
].filter((file) => !file.endsWith('.md'));

const isTest = (file) => /\.(?:test|prove)\.tsx?$/u.test(file);
const slices = readdirSync(`${root}product`)
  .filter((name) => name !== 'testkit' && statSync(`${root}product/${name}`).isDirectory());
const slicesOf = (files) =>
  new Set(slices.filter((slice) => files.some((file) => file.startsWith(`product/${slice}/`))));

/** Whether the product code of a slice imports one of these. */
const imports = (slice, names) =>
  git('ls-files', `product/${slice}`)
    .filter((file) => /\.tsx?$/u.test(file) && !isTest(file))
    .some((file) =>
      [...readFileSync(root + file, 'utf8').matchAll(/'#product\/([\w-]+)\//gu)]
        .some(([, name]) => names.has(name))
    );

const everywhere = changed.find((file) =>
  slicesOf([file]).size === 0
  && /^(?:platform|product|programs|package|vitest|tsconfig)/u.test(file)
);
// A change of a test reaches that test alone.
const moved = slicesOf(changed.filter((file) => !isTest(file)));
const reached = slices.filter((slice) => slicesOf(changed).has(slice) || imports(slice, moved));

console.log(
  everywhere === undefined
    ? `reached since ${since}: ${reached.join(', ') || 'nothing'}`
    : `everything, because of ${everywhere}`,
);
if (everywhere !== undefined || reached.length > 0) {
  const folders = everywhere === undefined ? reached.map((slice) => `product/${slice}/`) : [];
  const { status } = spawnSync(process.execPath, [
    'tools/tests/run.mjs',
    '--project',
    'unit',
    '--project',
    'pages',
    ...folders,
    ...rest,
  ], { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
