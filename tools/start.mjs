// `npm start`: builds when sources have changed since the last build, then runs the supervisor.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/.sources');
const FOLDERS = ['platform', 'product', 'programs'];
const FILES = ['package-lock.json', 'vite.config.ts', 'react-router.config.ts', 'tools/build.mjs'];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Candela needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}
if (!existsSync(join(root, 'node_modules/fastify'))) {
  console.error('The libraries are missing: run `npm ci` first.');
  process.exit(1);
}

/** Content hash of everything a build reads. */
function hashSources() {
  const hash = createHash('sha256');
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(?:test\.tsx?|md)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)));
  for (const file of [...files, ...FILES.map((name) => join(root, name))].sort()) {
    if (existsSync(file)) hash.update(file.slice(root.length)).update(readFileSync(file));
  }
  return hash.digest('hex');
}

const current = hashSources();
const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
if (built !== current) {
  console.log('Building Candela …');
  const startedAt = performance.now();
  // A build that is cut short leaves no stamp.
  rmSync(stamp, { force: true });
  const { buildAll } = await import('./build.mjs');
  await buildAll().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, current);
  console.log(`Built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
}
await import('../dist/all.js');
